package android.webkit;

/** API 26. */
public abstract class RenderProcessGoneDetail {
  public abstract boolean didCrash();

  public abstract int rendererPriorityAtExit();
}
