plugins {
    id("com.android.application")
    id("org.jetbrains.kotlin.android")
}

/** From `~/.gradle/gradle.properties` or the command line: a token belongs in no repository. */
fun setting(name: String) = "\"${providers.gradleProperty(name).getOrElse("")}\""

android {
    namespace = "org.svc.sample"
    compileSdk = 36

    defaultConfig {
        applicationId = "org.svc.sample"
        minSdk = 24
        targetSdk = 36
        versionCode = 1
        versionName = "0.2.0"
        buildConfigField("String", "DEVICE_TOKEN", setting("svc.deviceToken"))
        buildConfigField("String", "BASE_URL", setting("svc.baseUrl"))
        buildConfigField("String", "SIGNING_KEY", setting("svc.signingKey"))
    }

    buildFeatures.buildConfig = true

    // Models and WebAssembly are read from the package as they are.
    androidResources.noCompress += listOf("tflite", "wasm")

    compileOptions {
        sourceCompatibility = JavaVersion.VERSION_1_8
        targetCompatibility = JavaVersion.VERSION_1_8
    }

    buildTypes["release"].isMinifyEnabled = true
}

kotlin.compilerOptions {
    jvmTarget = org.jetbrains.kotlin.gradle.dsl.JvmTarget.JVM_1_8
}

dependencies {
    implementation(project(":device"))
    implementation("androidx.activity:activity:1.9.3")
}
