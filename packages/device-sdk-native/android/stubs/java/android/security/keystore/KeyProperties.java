package android.security.keystore;

/** What the shell uses: of API 23, and one constant of API 31. */
public abstract class KeyProperties {
  public static final int PURPOSE_ENCRYPT = 1;
  public static final int PURPOSE_DECRYPT = 2;

  /** API 31. */
  public static final int PURPOSE_AGREE_KEY = 64;

  public static final String KEY_ALGORITHM_AES = "AES";
  public static final String KEY_ALGORITHM_EC = "EC";
  public static final String BLOCK_MODE_GCM = "GCM";
  public static final String ENCRYPTION_PADDING_NONE = "NoPadding";
}
