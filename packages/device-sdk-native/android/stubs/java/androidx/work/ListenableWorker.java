package androidx.work;

import android.content.Context;

/** androidx.work 2.9, what the shell uses. */
public abstract class ListenableWorker {
  public ListenableWorker(Context context, WorkerParameters parameters) {}

  public final Context getApplicationContext() {
    return null;
  }

  public abstract static class Result {
    public static Result success() {
      return null;
    }

    public static Result retry() {
      return null;
    }
  }
}
