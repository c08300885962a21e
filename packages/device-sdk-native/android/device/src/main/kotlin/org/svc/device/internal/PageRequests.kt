package org.svc.device.internal

import org.json.JSONArray
import org.json.JSONObject
import org.svc.device.SvcException
import org.svc.device.contract.CameraPermission
import org.svc.device.contract.FailureCode

private const val MAX_SHORT_BYTES = 4_096
private const val MAX_CONTENT_BYTES = 524_288
private const val MAX_EPOCHS = 255
private const val LONGEST_DERIVED = 64L
private const val LARGEST_UINT32 = 0xffff_ffffL

private typealias Handlers = MutableMap<String, suspend (JSONObject) -> JSONObject>

/** What this app keeps for a device: keys, packs and the time at which it erases them itself. Used by one thread. */
internal class DeviceStore(val keys: KeyVault, val packs: PackFiles, val guard: Guard) {
    /** Another session of the page began, or none is left. */
    fun release() {
        keys.close()
        packs.close()
    }
}

/** Carries out the page's requests. All members of a body are read before anything is done. */
internal class PageRequests(
    private val store: DeviceStore,
    private val transfers: Transfers,
    private val askForCamera: suspend () -> CameraPermission,
) {
    private val handlers = HashMap<String, suspend (JSONObject) -> JSONObject>().apply {
        ofKeys(store.keys)
        ofPacks(store.packs)
        this["camera.requestPermission"] = { jsonOf("permission" to askForCamera().value) }
        this["transport.begin"] = { body ->
            val answer = transfers.begin(body)
            jsonOf("status" to answer.status, "mediaType" to answer.mediaType, "contentLength" to answer.contentLength)
        }
        this["transport.read"] = { body ->
            val chunk = transfers.read(body.integer("transfer"))
            jsonOf("chunk" to toBase64Url(chunk.bytes), "done" to chunk.done)
        }
        this["transport.cancel"] = { body -> done(transfers.cancel(body.integer("transfer"))) }
        this["guard.set"] = { body ->
            done(store.guard.set(body.orNull("eraseAtMs") { body.integer(it, -LARGEST_INTEGER..LARGEST_INTEGER) }))
        }
    }

    suspend fun answer(name: String, body: JSONObject): JSONObject =
        (handlers[name] ?: throw SvcException(FailureCode.UnknownName, "this shell does not know the name"))(body)

    private fun Handlers.ofKeys(keys: KeyVault) {
        this["keyStore.devicePublicKey"] = { jsonOf("publicKey" to toBase64Url(keys.devicePublicKey())) }
        this["keyStore.hasDeviceKey"] = { jsonOf("has" to keys.hasDeviceKey()) }
        this["keyStore.deleteDeviceKey"] = { done(keys.deleteDeviceKey()) }
        this["keyStore.mac"] = { body -> jsonOf("mac" to toBase64Url(keys.mac(body.bytes("message", MAX_CONTENT_BYTES)))) }
        this["keyStore.openListKeys"] = { body -> openListKeys(body) }
        this["keyStore.listKeys"] = { body -> jsonOf("keys" to keys.openStored(body.generation())?.let(::described)) }
        this["keyStore.derive"] = { body -> derive(body) }
        this["keyStore.signCheckIn"] = { body -> signCheckIn(body) }
        this["keyStore.keepAs"] = { body -> done(keys.keepAs(body.handle(), body.generation())) }
        this["keyStore.release"] = { body -> done(keys.release(body.handle())) }
        this["keyStore.deleteListKeys"] = { body -> done(keys.deleteListKeys(body.generation())) }
        this["keyStore.listKeyGenerations"] = { jsonOf("generations" to jsonArrayOf(keys.generations())) }
        this["keyStore.deriveFromAdmissionKey"] = { body ->
            val salt = body.bytes("salt", MAX_SHORT_BYTES)
            bytes(keys.deriveFromAdmissionKey(salt, body.bytes("info", MAX_SHORT_BYTES), body.derivedLength()))
        }
        this["keyStore.hasAdmissionKey"] = { jsonOf("has" to keys.hasAdmissionKey()) }
        this["keyStore.deleteAdmissionKey"] = { done(keys.deleteAdmissionKey()) }
    }

    private fun Handlers.ofPacks(packs: PackFiles) {
        this["packStore.readState"] = { jsonOf("state" to packs.readState()?.let(::toBase64Url)) }
        this["packStore.writeState"] = { body -> done(packs.writeState(body.bytes("state", MAX_CONTENT_BYTES))) }
        this["packStore.beginPack"] = { body -> jsonOf("upload" to packs.beginPack(body.generation())) }
        this["packStore.appendPack"] = { body ->
            val offset = body.integer("offset", 0..LARGEST_INTEGER)
            done(packs.appendPack(body.integer("upload"), offset, body.bytes("chunk", MAX_CHUNK_BYTES)))
        }
        this["packStore.commitPack"] = { body -> done(packs.commitPack(body.integer("upload"))) }
        this["packStore.abandonPack"] = { body -> done(packs.abandonPack(body.integer("upload"))) }
        this["packStore.openPack"] = { body ->
            val opened = packs.openPack(body.generation())
            jsonOf("pack" to opened?.let { (handle, length) -> jsonOf("handle" to handle, "byteLength" to length) })
        }
        this["packStore.readPack"] = { body ->
            val length = body.integer("length", 0L..MAX_CHUNK_BYTES).toInt()
            bytes(packs.readPack(body.handle(), body.integer("offset", 0..LARGEST_INTEGER), length))
        }
        this["packStore.closePack"] = { body -> done(packs.closePack(body.handle())) }
        this["packStore.deletePack"] = { body -> done(packs.deletePack(body.generation())) }
        this["packStore.listPacks"] = { jsonOf("generations" to jsonArrayOf(packs.packs())) }
        this["packStore.readPage"] = { body -> jsonOf("content" to packs.readPage(body.page())?.let(::toBase64Url)) }
        this["packStore.writePage"] = { body ->
            done(packs.writePage(body.page(), body.bytes("content", MAX_CONTENT_BYTES)))
        }
        this["packStore.deletePage"] = { body -> done(packs.deletePage(body.page())) }
        this["packStore.listPages"] = { jsonOf("pages" to jsonArrayOf(packs.pages())) }
    }

    private fun openListKeys(body: JSONObject): JSONObject {
        val listed = body.member("epochs") as? JSONArray ?: throw messageInvalid("epochs is no list")
        if (listed.length() > MAX_EPOCHS) throw messageInvalid("too many epochs")
        val epochs = LinkedHashMap<Long, Sealed>()
        for (i in 0 until listed.length()) {
            val entry = listed.opt(i) as? JSONObject ?: throw messageInvalid("an epoch is no object")
            val epoch = entry.integer("epoch", 0..LARGEST_UINT32)
            if (epochs.put(epoch, sealedOf(entry.inner("sealed"))) != null) throw messageInvalid("an epoch twice")
        }
        val secret = body.orNull("checkInSecret") { sealedOf(body.inner(it)) }
        return described(store.keys.openListKeys(epochs, secret))
    }

    private fun sealedOf(json: JSONObject) = Sealed(
        enc = json.bytes("enc", MAX_SHORT_BYTES),
        ciphertext = json.bytes("ciphertext", MAX_SHORT_BYTES),
        info = json.bytes("info", MAX_SHORT_BYTES),
    )

    private fun described(handle: Long): JSONObject = store.keys.listKeys(handle).let {
        jsonOf(
            "handle" to handle,
            "epochs" to jsonArrayOf(it.epochs),
            "hasCheckInSecret" to (it.checkInSecret != null),
        )
    }

    private fun derive(body: JSONObject): JSONObject {
        val salt = body.bytes("salt", MAX_SHORT_BYTES)
        val info = body.bytes("info", MAX_SHORT_BYTES)
        val length = body.derivedLength()
        val key = store.keys.listKeys(body.handle()).ofEpoch(body.integer("epoch", 0..LARGEST_UINT32))
            ?: throw noSuch("epoch")
        return bytes(Hkdf.derive(key, salt, info, length))
    }

    private fun signCheckIn(body: JSONObject): JSONObject {
        val message = body.bytes("message", MAX_CHUNK_BYTES)
        val secret = store.keys.listKeys(body.handle()).checkInSecret
        return jsonOf("signature" to secret?.let { toBase64Url(hmacSha256(it, message)) })
    }

    /** Derived bytes are wiped once they are text; the text itself cannot be. */
    private fun bytes(bytes: ByteArray): JSONObject = bytes.wiped { jsonOf("bytes" to toBase64Url(it)) }

    /** An empty body, after work without a result. */
    @Suppress("UNUSED_PARAMETER")
    private fun done(work: Any?): JSONObject = jsonOf()

    private fun JSONObject.generation(): Long = integer("generation")

    private fun JSONObject.handle(): Long = integer("handle")

    private fun JSONObject.page(): Long = integer("page", 1..LARGEST_UINT32)

    private fun JSONObject.derivedLength(): Int = integer("length", 1..LONGEST_DERIVED).toInt()
}
