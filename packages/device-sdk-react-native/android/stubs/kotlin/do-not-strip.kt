package com.facebook.proguard.annotations

annotation class DoNotStrip
