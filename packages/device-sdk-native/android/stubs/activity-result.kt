// androidx.activity 1.9, what the shell uses.
package androidx.activity.result

import androidx.activity.result.contract.ActivityResultContract

fun interface ActivityResultCallback<O> {
    fun onActivityResult(result: O)
}

abstract class ActivityResultLauncher<I> {
    abstract fun launch(input: I)

    abstract fun unregister()
}

abstract class ActivityResultRegistry {
    fun <I, O> register(
        key: String,
        contract: ActivityResultContract<I, O>,
        callback: ActivityResultCallback<O>,
    ): ActivityResultLauncher<I> = TODO("$key $contract $callback")
}
