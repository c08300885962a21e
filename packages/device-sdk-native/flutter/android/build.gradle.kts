group = "org.svc.device.flutter"
version = "0.2.0"

buildscript {
    repositories {
        google()
        mavenCentral()
    }
    dependencies {
        classpath("com.android.tools.build:gradle:9.1.0")
    }
}

plugins {
    id("com.android.library")
}

android {
    namespace = "org.svc.device.flutter"
    compileSdk = 36

    defaultConfig {
        minSdk = 24
    }

    compileOptions {
        sourceCompatibility = JavaVersion.VERSION_17
        targetCompatibility = JavaVersion.VERSION_17
    }

    sourceSets {
        getByName("main") {
            java.srcDirs("src/main/kotlin")
        }
    }
}

dependencies {
    // The shell; an app's settings.gradle.kts says where its build is.
    implementation("org.svc:device:0.2.0")
}
