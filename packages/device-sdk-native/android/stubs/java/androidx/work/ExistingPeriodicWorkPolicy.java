package androidx.work;

public enum ExistingPeriodicWorkPolicy {
  KEEP,
  UPDATE
}
