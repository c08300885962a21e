package androidx.annotation

annotation class Nullable
