package org.svc.device.internal

import org.json.JSONObject
import org.svc.device.SvcException
import org.svc.device.contract.CameraPermission
import org.svc.device.contract.FailureCode

private typealias Handlers = MutableMap<String, suspend (JSONObject) -> JSONObject>

/** What this app keeps for a device: keys, packs and the time at which it erases them itself. Used by one thread. */
internal class DeviceStore(val keys: KeyVault, val packs: PackFiles, val guard: Guard) {
    /** Another session of the page began, or none is left. */
    fun release() {
        keys.close()
        packs.close()
    }
}

/** Carries out the page's requests, whose bodies were read by the contract's types. */
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
            done(store.guard.set(body.orNull("eraseAtMs") { body.integer(it) }))
        }
    }

    suspend fun answer(name: String, body: JSONObject): JSONObject =
        (handlers[name] ?: throw SvcException(FailureCode.UnknownName, "this shell does not know the name"))(body)

    private fun Handlers.ofKeys(keys: KeyVault) {
        this["keyStore.devicePublicKey"] = { jsonOf("publicKey" to toBase64Url(keys.devicePublicKey())) }
        this["keyStore.hasDeviceKey"] = { jsonOf("has" to keys.hasDeviceKey()) }
        this["keyStore.deleteDeviceKey"] = { done(keys.deleteDeviceKey()) }
        this["keyStore.mac"] = { body -> jsonOf("mac" to toBase64Url(keys.mac(body.bytes("message")))) }
        this["keyStore.openListKeys"] = { body -> openListKeys(body) }
        this["keyStore.listKeys"] = { body -> jsonOf("keys" to keys.openStored(body.generation())?.let(::described)) }
        this["keyStore.derive"] = { body -> derive(body) }
        this["keyStore.signCheckIn"] = { body -> signCheckIn(body) }
        this["keyStore.keepAs"] = { body -> done(keys.keepAs(body.handle(), body.generation())) }
        this["keyStore.release"] = { body -> done(keys.release(body.handle())) }
        this["keyStore.deleteListKeys"] = { body -> done(keys.deleteListKeys(body.generation())) }
        this["keyStore.listKeyGenerations"] = { jsonOf("generations" to jsonArrayOf(keys.generations())) }
        this["keyStore.deriveFromAdmissionKey"] = { body ->
            val salt = body.bytes("salt")
            bytes(keys.deriveFromAdmissionKey(salt, body.bytes("info"), body.derivedLength()))
        }
        this["keyStore.hasAdmissionKey"] = { jsonOf("has" to keys.hasAdmissionKey()) }
        this["keyStore.deleteAdmissionKey"] = { done(keys.deleteAdmissionKey()) }
    }

    private fun Handlers.ofPacks(packs: PackFiles) {
        this["packStore.readState"] = { jsonOf("state" to packs.readState()?.let(::toBase64Url)) }
        this["packStore.writeState"] = { body -> done(packs.writeState(body.bytes("state"))) }
        this["packStore.beginPack"] = { body -> jsonOf("upload" to packs.beginPack(body.generation())) }
        this["packStore.appendPack"] = { body ->
            val offset = body.integer("offset")
            done(packs.appendPack(body.integer("upload"), offset, body.bytes("chunk")))
        }
        this["packStore.commitPack"] = { body -> done(packs.commitPack(body.integer("upload"))) }
        this["packStore.abandonPack"] = { body -> done(packs.abandonPack(body.integer("upload"))) }
        this["packStore.openPack"] = { body ->
            val opened = packs.openPack(body.generation())
            jsonOf("pack" to opened?.let { (handle, length) -> jsonOf("handle" to handle, "byteLength" to length) })
        }
        this["packStore.readPack"] = { body ->
            val length = body.integer("length").toInt()
            bytes(packs.readPack(body.handle(), body.integer("offset"), length))
        }
        this["packStore.closePack"] = { body -> done(packs.closePack(body.handle())) }
        this["packStore.deletePack"] = { body -> done(packs.deletePack(body.generation())) }
        this["packStore.listPacks"] = { jsonOf("generations" to jsonArrayOf(packs.packs())) }
        this["packStore.readPage"] = { body -> jsonOf("content" to packs.readPage(body.page())?.let(::toBase64Url)) }
        this["packStore.writePage"] = { body ->
            done(packs.writePage(body.page(), body.bytes("content")))
        }
        this["packStore.deletePage"] = { body -> done(packs.deletePage(body.page())) }
        this["packStore.listPages"] = { jsonOf("pages" to jsonArrayOf(packs.pages())) }
    }

    private fun openListKeys(body: JSONObject): JSONObject {
        val listed = body.list("epochs")
        val epochs = LinkedHashMap<Long, Sealed>()
        for (i in 0 until listed.length()) {
            val entry = listed.getJSONObject(i)
            val epoch = entry.integer("epoch")
            if (epochs.put(epoch, sealedOf(entry.inner("sealed"))) != null) throw messageInvalid("an epoch twice")
        }
        val secret = body.orNull("checkInSecret") { sealedOf(body.inner(it)) }
        return described(store.keys.openListKeys(epochs, secret))
    }

    private fun sealedOf(json: JSONObject) = Sealed(
        enc = json.bytes("enc"),
        ciphertext = json.bytes("ciphertext"),
        info = json.bytes("info"),
    )

    private fun described(handle: Long): JSONObject = store.keys.listKeys(handle).let {
        jsonOf(
            "handle" to handle,
            "epochs" to jsonArrayOf(it.epochs),
            "hasCheckInSecret" to (it.checkInSecret != null),
        )
    }

    private fun derive(body: JSONObject): JSONObject {
        val salt = body.bytes("salt")
        val info = body.bytes("info")
        val length = body.derivedLength()
        val key = store.keys.listKeys(body.handle()).ofEpoch(body.integer("epoch"))
            ?: throw noSuch("epoch")
        return bytes(Hkdf.derive(key, salt, info, length))
    }

    private fun signCheckIn(body: JSONObject): JSONObject {
        val message = body.bytes("message")
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

    private fun JSONObject.page(): Long = integer("page")

    private fun JSONObject.derivedLength(): Int = integer("length").toInt()
}
