package org.svc.device.internal

import java.math.BigInteger
import java.security.GeneralSecurityException
import java.security.KeyFactory
import java.security.interfaces.ECPublicKey
import java.security.spec.ECPrivateKeySpec
import javax.crypto.KeyAgreement
import kotlin.coroutines.EmptyCoroutineContext
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.cancel
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import org.json.JSONArray
import org.json.JSONObject
import org.junit.Assert.assertEquals
import org.junit.Assert.assertNotEquals
import org.junit.Test
import org.svc.device.SvcException
import org.svc.device.contract.FailureCode
import org.svc.device.contract.SealedSecret

private val HELD = listOf("handle", "upload")

private fun elementsOf(list: JSONArray): List<Any> = (0 until list.length()).map { list.get(it) }

private fun JSONObject.objects(name: String): List<JSONObject> = elementsOf(getJSONArray(name)).map { it as JSONObject }

private fun JSONObject.decoded(name: String): ByteArray = fromBase64Url(getString(name)) ?: error(name)

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
            val reading = readMessage(textOf(vector), session, vector.optLong("highestId", 0))
            val expected = vector.getString("reads") to (vector.opt("code") as String?)
            val verdict = verdictOf(reading)
            if (verdict == expected) null else "${vector.getString("name")}: $verdict, not $expected"
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
                toBase64Url(Hpke.open(deviceKey.publicKey(), SealedSecret.fromJson(row), deviceKey::agree))
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
            fun answer(request: String, body: JSONObject): JSONObject = runBlocking {
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
            val expected = row.getJSONObject("opens")
            assertEquals(name, expected.get("epochs").toString(), opened.get("epochs").toString())
            assertEquals(name, expected.get("hasCheckInSecret"), opened.get("hasCheckInSecret"))
            val handle = opened.get("handle")
            answer("keepAs", jsonOf("handle" to handle, "generation" to 7))
            // The same before and after they were stored.
            val stored = answer("listKeys", jsonOf("generation" to 7)).getJSONObject("keys")
            for (held in listOf(handle, stored.get("handle"))) {
                for (derivation in row.objects("derive")) {
                    derivation.put("handle", held)
                    assertEquals(name, derivation.get("bytes"), answer("derive", derivation).opt("bytes"))
                }
                for (check in row.objects("signCheckIn")) {
                    check.put("handle", held)
                    assertEquals(name, check.get("signature"), answer("signCheckIn", check).get("signature"))
                }
            }
        }
    }

    @Test
    fun `stores answer as the vectors say`() {
        for (case in vectors("stores.json").objects("stores")) {
            var test = TestStore()
            val last = HashMap<String, Any>()
            val before = HashMap<String, Any?>()
            for ((index, step) in elementsOf(case.getJSONArray("steps")).withIndex()) {
                if (step !is JSONArray) {
                    test = test.again()
                    continue
                }
                val (request, body) = step.getString(0) to step.getJSONObject(1)
                for (held in HELD) if (body.opt(held) == "last") body.put(held, last[held])
                val answer = try {
                    runBlocking { test.requests.answer(request, body) }
                } catch (_: SvcException) {
                    null
                }
                for (json in listOfNotNull(answer, answer?.optJSONObject("pack"))) {
                    for (held in HELD.filter(json::has)) {
                        last[held] = json.get(held)
                        json.put(held, "last")
                    }
                }
                val name = "${case.getString("name")}, step $index"
                val told = comparable(answer ?: JSONObject.NULL)
                when (val expected = step.opt(2)) {
                    null -> Unit
                    "same" -> assertEquals(name, before[request], told)
                    "other" -> assertNotEquals(name, before[request], told)
                    else -> assertEquals(name, comparable(expected), told)
                }
                before[request] = told
            }
        }
    }

    @Test
    fun `dialogues of a shell go as the vectors say`() {
        for (dialogue in vectors("sessions.json").objects("dialogues")) {
            if (dialogue.getString("side") == "shell") replay(dialogue)
        }
    }

    private fun replay(vector: JSONObject) {
        val sent = ArrayList<Any?>()
        val settled = HashMap<String, Any?>()
        val later = ArrayList<CompletableDeferred<JSONObject>>()
        // Everything runs at once, on this thread.
        val scope = CoroutineScope(Dispatchers.Unconfined)
        val listener = object : PageListener {
            override fun onHello(body: JSONObject) = Unit

            override fun onEvent(name: String, body: JSONObject) = Unit

            override fun contextOf(name: String) = EmptyCoroutineContext

            override suspend fun onRequest(name: String, body: JSONObject): JSONObject {
                val how = vector.getJSONObject("handlers").get(name)
                if (how is JSONObject) return how.getJSONObject("answer")
                return CompletableDeferred<JSONObject>().also(later::add).await()
            }
        }
        val dialogue = Dialogue(scope, { sent.add(comparable(JSONObject(it))) }, listener)
        for ((index, step) in vector.objects("steps").withIndex()) {
            step.opt("receive")?.let { dialogue.receive(it.toString()) }
            step.optJSONObject("ask")?.let { ask ->
                scope.launch {
                    settled[step.optString("as")] = try {
                        val answer = dialogue.request(ask.getString("name"), ask.getJSONObject("body"), 60_000)
                        mapOf("answer" to comparable(answer))
                    } catch (error: SvcException) {
                        mapOf("failure" to error.code.value)
                    }
                }
            }
            step.optJSONObject("handled")?.let { handled ->
                val waiting = later[handled.getInt("id") - 1]
                val code = FailureCode.values().find { it.value == handled.optString("failure") }
                if (code == null) waiting.complete(handled.getJSONObject("answer"))
                else waiting.completeExceptionally(SvcException(code, "why"))
            }
            val name = "${vector.getString("name")}, step $index"
            assertEquals(name, comparable(step.opt("sends") ?: JSONArray()), sent)
            assertEquals(name, comparable(step.opt("settles") ?: JSONObject()), settled)
            sent.clear()
            settled.clear()
        }
        scope.cancel()
    }

    /** Without the order of members, and without the words of failures. */
    private fun comparable(value: Any?): Any? = when (value) {
        is JSONObject -> value.keys().asSequence().associateWith { name ->
            val isWords = name == "message" && value.has("code")
            if (isWords) "" else comparable(value.get(name))
        }
        is JSONArray -> elementsOf(value).map(::comparable)
        is Number -> value.toDouble()
        else -> value
    }
}
