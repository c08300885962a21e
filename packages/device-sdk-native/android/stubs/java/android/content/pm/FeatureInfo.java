package android.content.pm;

/** What the shell uses: of API 23, and one member of API 24. */
public class FeatureInfo {
  public String name;

  /** API 24. */
  public int version;
}
