// What the shell uses: of API 23, `setIsStrongBoxBacked` of API 28, and `PURPOSE_AGREE_KEY` of API 31.
package android.security.keystore

import java.security.spec.AlgorithmParameterSpec

class KeyGenParameterSpec : AlgorithmParameterSpec {
    @Suppress("UNUSED_PARAMETER")
    class Builder(keystoreAlias: String, purposes: Int) {
        fun setAlgorithmParameterSpec(spec: AlgorithmParameterSpec): Builder = this

        fun setBlockModes(vararg blockModes: String): Builder = this

        fun setEncryptionPaddings(vararg paddings: String): Builder = this

        fun setKeySize(keySize: Int): Builder = this

        fun setIsStrongBoxBacked(isStrongBoxBacked: Boolean): Builder = this

        fun build(): KeyGenParameterSpec = KeyGenParameterSpec()
    }
}

object KeyProperties {
    const val PURPOSE_ENCRYPT = 1
    const val PURPOSE_DECRYPT = 2
    const val PURPOSE_AGREE_KEY = 64
    const val KEY_ALGORITHM_AES = "AES"
    const val KEY_ALGORITHM_EC = "EC"
    const val BLOCK_MODE_GCM = "GCM"
    const val ENCRYPTION_PADDING_NONE = "NoPadding"
}
