package org.svc.device.internal

import org.json.JSONArray
import org.json.JSONObject

/**
 * The check of the page's messages by the contract's own schema, which the build puts among the resources.
 * @param schema `contract/v1.schema.json`: the part of JSON Schema that the contract uses
 */
internal class ContractSchema(schema: JSONObject) {
    private val definitions = schema.getJSONObject("\$defs")
    private val patterns = HashMap<String, Regex>()
    private val requests = bodiesOf("PageRequest")
    private val answers = bodiesOf("PageAnswer")
    private val events = bodiesOf("PageEvent")

    fun isRequest(name: String): Boolean = name in requests

    /** Whether this shell can have asked for it. */
    fun isAnswer(name: String): Boolean = name in answers

    fun isRequestBody(name: String, body: Any?): Boolean = isOf(requests[name], body)

    fun isAnswerBody(name: String, body: Any?): Boolean = isOf(answers[name], body)

    fun isEventBody(name: String, body: Any?): Boolean = isOf(events[name], body)

    fun isFailure(body: Any?): Boolean = isOf("Failure", body)

    /** Names of messages with the definitions of their bodies. */
    private fun bodiesOf(group: String): Map<String, String> {
        val branches = definitions.getJSONObject(group).getJSONArray("oneOf")
        return (0 until branches.length()).associate {
            val members = branches.getJSONObject(it).getJSONObject("properties")
            members.getJSONObject("name").getString("const") to nameIn(members.getJSONObject("body").getString("\$ref"))
        }
    }

    private fun isOf(definition: String?, value: Any?): Boolean =
        definition != null && isValid(definitions.getJSONObject(definition), value)

    private fun isValid(schema: JSONObject, value: Any?): Boolean {
        val reference = schema.opt("\$ref") as? String
        if (reference != null && !isOf(nameIn(reference), value)) return false
        return isOfType(schema.opt("type"), value) &&
            (!schema.has("const") || schema.get("const") == value) &&
            schema.whole("enum") { all -> all.any { it == value } } &&
            schema.whole("oneOf") { all -> all.count { isValid(it as JSONObject, value) } == 1 } &&
            schema.whole("anyOf") { all -> all.any { isValid(it as JSONObject, value) } } &&
            when (value) {
                is Number -> isWithin(schema, value.toDouble())
                is String -> isText(schema, value)
                is JSONArray -> isList(schema, value)
                is JSONObject -> isObject(schema, value)
                else -> true
            }
    }

    private fun isOfType(type: Any?, value: Any?): Boolean = when (type) {
        null -> true
        "null" -> value == JSONObject.NULL
        "object" -> value is JSONObject
        "array" -> value is JSONArray
        "string" -> value is String
        "boolean" -> value is Boolean
        "number" -> value is Number
        else -> value is Int || value is Long || (value is Double && value % 1.0 == 0.0)
    }

    private fun isWithin(schema: JSONObject, value: Double): Boolean =
        value >= schema.optDouble("minimum", Double.NEGATIVE_INFINITY) &&
            value <= schema.optDouble("maximum", Double.POSITIVE_INFINITY)

    /** Characters are code points. */
    private fun isText(schema: JSONObject, value: String): Boolean {
        val length = value.codePointCount(0, value.length)
        if (length < schema.optInt("minLength", 0) || length > schema.optInt("maxLength", Int.MAX_VALUE)) return false
        val pattern = schema.opt("pattern") as? String ?: return true
        // Android's regular expressions keep a stack for each repeated group, which long texts overflow.
        if (pattern == BASE64URL) return fromBase64Url(value) != null
        return synchronized(patterns) { patterns.getOrPut(pattern) { Regex(pattern) } }.matches(value)
    }

    private fun isList(schema: JSONObject, value: JSONArray): Boolean {
        val items = schema.optJSONObject("items") ?: return true
        return value.length() >= schema.optInt("minItems", 0) &&
            value.length() <= schema.optInt("maxItems", Int.MAX_VALUE) &&
            elementsOf(value).all { isValid(items, it) }
    }

    private fun isObject(schema: JSONObject, value: JSONObject): Boolean {
        val members = schema.optJSONObject("properties") ?: JSONObject()
        val others = schema.optJSONObject("additionalProperties")
        val names = schema.optJSONObject("propertyNames")
        return schema.whole("required") { all -> all.all { value.has(it as String) } } &&
            value.length() <= schema.optInt("maxProperties", Int.MAX_VALUE) &&
            value.keys().asSequence().all { name ->
                val member = members.optJSONObject(name) ?: others
                (member == null || isValid(member, value.get(name))) && (names == null || isValid(names, name))
            }
    }

    /** True without the keyword. */
    private inline fun JSONObject.whole(name: String, check: (List<Any>) -> Boolean): Boolean =
        optJSONArray(name)?.let { check(elementsOf(it)) } ?: true

    private fun elementsOf(list: JSONArray): List<Any> = (0 until list.length()).map { list.get(it) }

    private fun nameIn(reference: String): String = reference.removePrefix("#/\$defs/")

    companion object {
        /** What [fromBase64Url] reads. */
        const val BASE64URL =
            "^(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-][AQgw]|[A-Za-z0-9_-]{2}[AEIMQUYcgkosw048])?$"
        private const val RESOURCE = "/org/svc/device/contract/v1.schema.json"

        /** The contract of this build. */
        val own: ContractSchema by lazy {
            val stream = ContractSchema::class.java.getResourceAsStream(RESOURCE) ?: error("the build lacks $RESOURCE")
            ContractSchema(JSONObject(String(stream.use { it.readBytes() }, Charsets.UTF_8)))
        }
    }
}
