package androidx.work;

import java.util.concurrent.TimeUnit;

public final class PeriodicWorkRequest {
  public static final class Builder {
    public Builder(Class<? extends ListenableWorker> worker, long interval, TimeUnit unit) {}

    public PeriodicWorkRequest build() {
      return null;
    }
  }
}
