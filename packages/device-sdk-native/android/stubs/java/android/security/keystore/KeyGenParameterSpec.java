package android.security.keystore;

import java.security.spec.AlgorithmParameterSpec;

/** What the shell uses: of API 23, and one method of API 28. */
public final class KeyGenParameterSpec implements AlgorithmParameterSpec {
  public static final class Builder {
    public Builder(String keystoreAlias, int purposes) {}

    public Builder setAlgorithmParameterSpec(AlgorithmParameterSpec spec) {
      return this;
    }

    public Builder setBlockModes(String... blockModes) {
      return this;
    }

    public Builder setEncryptionPaddings(String... paddings) {
      return this;
    }

    public Builder setKeySize(int keySize) {
      return this;
    }

    /** API 28. */
    public Builder setIsStrongBoxBacked(boolean isStrongBoxBacked) {
      return this;
    }

    public KeyGenParameterSpec build() {
      return null;
    }
  }
}
