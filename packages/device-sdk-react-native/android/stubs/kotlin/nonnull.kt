package javax.annotation

annotation class Nonnull
