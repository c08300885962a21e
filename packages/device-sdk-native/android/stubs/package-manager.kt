// What the shell uses: of API 23, and `version` of API 24.
package android.content.pm

class FeatureInfo(@JvmField val name: String?, @JvmField val version: Int)
