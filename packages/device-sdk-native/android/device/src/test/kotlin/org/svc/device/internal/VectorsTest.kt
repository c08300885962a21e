package org.svc.device.internal

import java.math.BigInteger
import java.security.GeneralSecurityException
import java.security.KeyFactory
import java.security.interfaces.ECPublicKey
import java.security.spec.ECPrivateKeySpec
import javax.crypto.KeyAgreement
import org.json.JSONObject
import org.junit.Assert.assertEquals
import org.junit.Test
import org.svc.device.SvcException

private fun JSONObject.objects(name: String): List<JSONObject> =
    getJSONArray(name).let { list -> (0 until list.length()).map { list.getJSONObject(it) } }

private fun JSONObject.decoded(name: String): ByteArray = fromBase64Url(getString(name)) ?: error(name)

private fun sealedIn(json: JSONObject) = Sealed(json.decoded("enc"), json.decoded("ciphertext"), json.decoded("info"))

/** The conformance vectors of the contract, the same bytes as in every other language. */
class VectorsTest {
    private val keys = vectors("keys.json")

    private val deviceKey = object : DeviceKey {
        private val pair = keys.getJSONObject("device")
        private val privateKey = KeyFactory.getInstance("EC").generatePrivate(
            ECPrivateKeySpec(
                BigInteger(1, pair.decoded("privateKey")),
                (P256.generate().public as ECPublicKey).params,
            ),
        )

        override fun exists() = true

        override fun publicKey() = pair.decoded("publicKey")

        override fun agree(point: ECPublicKey): ByteArray = KeyAgreement.getInstance("ECDH").run {
            init(privateKey)
            doPhase(point, true)
            generateSecret()
        }

        override fun delete() = Unit
    }

    /** Of [JSONObject], because vectors have members that org.json would write in another order. */
    private fun textOf(vector: JSONObject): String {
        if (vector.has("message")) return vector.get("message").toString()
        if (vector.has("text")) return vector.getString("text")
        val parts = vector.getJSONArray("parts")
        return (0 until parts.length()).joinToString("") {
            parts.getJSONArray(it).run { getString(0).repeat(getInt(1)) }
        }
    }

    private fun verdictOf(reading: Reading): Pair<String, String?> = when (reading) {
        is Reading.Accepted -> reading.message.kind.value to null
        is Reading.Refused -> "refused" to reading.code.value
        is Reading.InvalidAnswer -> "invalid-answer" to null
        Reading.Dropped -> "dropped" to null
    }

    @Test
    fun `messages of the page are read as the vectors say`() {
        val all = vectors("messages.json")
        val session = all.getString("session")
        val wrong = all.objects("vectors").filter { it.getString("from") == "page" }.mapNotNull { vector ->
            val reading = readMessage(textOf(vector), session, vector.optLong("highestId", 0), ContractSchema.own)
            val expected = vector.getString("reads") to (vector.opt("code") as String?)
            if (verdictOf(reading) == expected) null else "${vector.getString("name")}: ${verdictOf(reading)}, not $expected"
        }
        assertEquals(emptyList<String>(), wrong)
    }

    @Test
    fun `HKDF and HMAC`() {
        for (row in keys.objects("hkdf")) {
            val bytes = Hkdf.derive(row.decoded("ikm"), row.decoded("salt"), row.decoded("info"), row.getInt("length"))
            assertEquals(row.getString("name"), row.getString("bytes"), toBase64Url(bytes))
        }
        for (row in keys.objects("hmac")) {
            val mac = hmacSha256(row.decoded("key"), row.decoded("message"))
            assertEquals(row.getString("name"), row.getString("mac"), toBase64Url(mac))
        }
    }

    @Test
    fun `HPKE opens, and does not`() {
        for (row in keys.objects("opens")) {
            val opened = try {
                toBase64Url(Hpke.open(deviceKey.publicKey(), sealedIn(row), deviceKey::agree))
            } catch (_: GeneralSecurityException) {
                null
            }
            assertEquals(row.getString("name"), row.opt("plaintext").takeUnless { it == JSONObject.NULL }, opened)
        }
    }

    @Test
    fun `list keys are opened, derived from and signed with`() {
        for (row in keys.objects("openListKeys")) {
            val name = row.getString("name")
            val test = TestStore()
            val vault = KeyVault(test.sealed, deviceKey)
            val requests = PageRequests(DeviceStore(vault, test.packs, test.guard), Transfers()) { error("no camera") }
            fun answer(request: String, body: JSONObject): JSONObject = kotlinx.coroutines.runBlocking {
                try {
                    requests.answer("keyStore.$request", body)
                } catch (error: SvcException) {
                    jsonOf("code" to error.code.value)
                }
            }
            val opened = answer("openListKeys", row.getJSONObject("request"))
            if (row.isNull("opens")) {
                assertEquals(name, "open-failed", opened.optString("code"))
                continue
            }
            assertEquals(name, row.getJSONObject("opens").getJSONArray("epochs").toString(), opened.getJSONArray("epochs").toString())
            assertEquals(name, row.getJSONObject("opens").get("hasCheckInSecret"), opened.get("hasCheckInSecret"))
            for (derivation in row.objects("derive")) {
                derivation.put("handle", opened.get("handle"))
                assertEquals(name, derivation.get("bytes"), answer("derive", derivation).opt("bytes"))
            }
            for (check in row.objects("signCheckIn")) {
                check.put("handle", opened.get("handle"))
                assertEquals(name, check.get("signature"), answer("signCheckIn", check).get("signature"))
            }
        }
    }
}
