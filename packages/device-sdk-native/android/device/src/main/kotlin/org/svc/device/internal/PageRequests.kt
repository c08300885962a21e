package org.svc.device.internal

import org.json.JSONObject
import org.svc.device.SvcException
import org.svc.device.contract.*

/** What this app keeps for a device: keys, packs and the time at which it erases them itself. Used by one thread. */
internal class DeviceStore(val keys: KeyVault, val packs: PackFiles, val guard: Guard) {
    /** Another session of the page began, or none is left. */
    fun release() {
        keys.close()
        packs.close()
    }
}

/** Carries out the page's requests. */
internal class PageRequests(
    private val store: DeviceStore,
    private val transfers: Transfers,
    private val askForCamera: suspend () -> CameraPermission,
) {
    suspend fun answer(name: String, body: JSONObject): JSONObject = when (name.substringBefore('.')) {
        "keyStore" -> ofKeys(name, body, store.keys)
        "packStore" -> ofPacks(name, body, store.packs)
        else -> ofPlatform(name, body)
    }

    private fun ofKeys(name: String, body: JSONObject, keys: KeyVault): JSONObject = when (name) {
        "keyStore.devicePublicKey" -> PublicKeyAnswer(toBase64Url(keys.devicePublicKey())).toJson()
        "keyStore.hasDeviceKey" -> HasAnswer(keys.hasDeviceKey()).toJson()
        "keyStore.deleteDeviceKey" -> done(keys.deleteDeviceKey())
        "keyStore.mac" -> MacAnswer(toBase64Url(keys.mac(MacRequest.fromJson(body).message))).toJson()
        "keyStore.openListKeys" -> OpenListKeysRequest.fromJson(body).let {
            val epochs = it.epochs.associate { (epoch, sealed) -> epoch to sealed }
            if (epochs.size < it.epochs.size) throw messageInvalid("an epoch twice")
            described(keys.openListKeys(epochs, it.checkInSecret)).toJson()
        }
        "keyStore.listKeys" -> ListKeysAnswer(keys.openStored(generationIn(body))?.let(::described)).toJson()
        "keyStore.derive" -> DeriveRequest.fromJson(body).let {
            val key = keys.listKeys(it.handle).ofEpoch(it.epoch) ?: throw noSuch("epoch")
            derived(Hkdf.derive(key, it.salt, it.info, it.length.toInt()))
        }
        "keyStore.signCheckIn" -> SignCheckInRequest.fromJson(body).let {
            val secret = keys.listKeys(it.handle).checkInSecret
            SignCheckInAnswer(secret?.let { key -> toBase64Url(hmacSha256(key, it.message)) }).toJson()
        }
        "keyStore.keepAs" -> KeepAsRequest.fromJson(body).let { done(keys.keepAs(it.handle, it.generation)) }
        "keyStore.release" -> done(keys.release(handleIn(body)))
        "keyStore.deleteListKeys" -> done(keys.deleteListKeys(generationIn(body)))
        "keyStore.listKeyGenerations" -> GenerationsAnswer(keys.generations()).toJson()
        "keyStore.deriveFromAdmissionKey" -> DeriveFromAdmissionKeyRequest.fromJson(body).let {
            derived(keys.deriveFromAdmissionKey(it.salt, it.info, it.length.toInt()))
        }
        "keyStore.hasAdmissionKey" -> HasAnswer(keys.hasAdmissionKey()).toJson()
        "keyStore.deleteAdmissionKey" -> done(keys.deleteAdmissionKey())
        else -> unknown()
    }

    private fun ofPacks(name: String, body: JSONObject, packs: PackFiles): JSONObject = when (name) {
        "packStore.readState" -> ReadStateAnswer(packs.readState()).toJson()
        "packStore.writeState" -> done(packs.writeState(WriteStateRequest.fromJson(body).state))
        "packStore.beginPack" -> Upload(packs.beginPack(generationIn(body))).toJson()
        "packStore.appendPack" -> AppendPackRequest.fromJson(body).let {
            done(packs.appendPack(it.upload, it.offset, it.chunk))
        }
        "packStore.commitPack" -> done(packs.commitPack(Upload.fromJson(body).upload))
        "packStore.abandonPack" -> done(packs.abandonPack(Upload.fromJson(body).upload))
        "packStore.openPack" -> OpenPackAnswer(packs.openPack(generationIn(body))).toJson()
        "packStore.readPack" -> ReadPackRequest.fromJson(body).let {
            BytesAnswer(packs.readPack(it.handle, it.offset, it.length.toInt())).toJson()
        }
        "packStore.closePack" -> done(packs.closePack(handleIn(body)))
        "packStore.deletePack" -> done(packs.deletePack(generationIn(body)))
        "packStore.listPacks" -> GenerationsAnswer(packs.packs()).toJson()
        "packStore.readPage" -> ReadLogPageAnswer(packs.readPage(LogPageRequest.fromJson(body).page)).toJson()
        "packStore.writePage" -> WriteLogPageRequest.fromJson(body).let { done(packs.writePage(it.page, it.content)) }
        "packStore.deletePage" -> done(packs.deletePage(LogPageRequest.fromJson(body).page))
        "packStore.listPages" -> LogPagesAnswer(packs.pages()).toJson()
        else -> unknown()
    }

    private suspend fun ofPlatform(name: String, body: JSONObject): JSONObject = when (name) {
        "transport.begin" -> transfers.begin(TransportBeginRequest.fromJson(body)).toJson()
        "transport.read" -> transfers.read(TransferRequest.fromJson(body).transfer).toJson()
        "transport.cancel" -> done(transfers.cancel(TransferRequest.fromJson(body).transfer))
        "camera.requestPermission" -> CameraPermissionAnswer(askForCamera()).toJson()
        "guard.set" -> done(store.guard.set(GuardRequest.fromJson(body).eraseAtMs))
        else -> unknown()
    }

    private fun described(handle: Long) =
        store.keys.listKeys(handle).let { OpenedListKeys(handle, it.epochs, it.checkInSecret != null) }

    /** The bytes are wiped once they are text; the text itself cannot be. */
    private fun derived(bytes: ByteArray): JSONObject = bytes.wiped { BytesAnswer(it).toJson() }

    private fun generationIn(body: JSONObject): Long = GenerationRequest.fromJson(body).generation

    private fun handleIn(body: JSONObject): Long = HandleRequest.fromJson(body).handle

    /** An empty body, after work without a result. */
    @Suppress("UNUSED_PARAMETER")
    private fun done(work: Any?): JSONObject = jsonOf()

    private fun unknown(): Nothing = throw SvcException(FailureCode.UnknownName, "this shell does not know the name")
}
