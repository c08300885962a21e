/**
 * Checks that a change could remove, by their source file and the test files of `npm test` that must notice, below the
 * sources of the same package or by their whole path: the text of each, which occurs in the file once, or the text and its
 * replacement.
 */
export const mutants = [
  ...of('packages/device-sdk/src/trust/admission.ts', ['lifecycle.test.ts'], {
    'device: lease':
      "if (list.leaseExpiresAtMs <= time.nowMs) return { outcome: 'LeaseExpired', reason: 'lease-expired' };",
    'device: deadline of a person': ['lookup.deleteAfterMs <= time.nowMs', 'lookup.deleteAfterMs < 0'],
    'device: clock set back': "if (time.wallIsBehind) return { outcome: 'LeaseExpired', reason: 'clock-behind' };",
  }),
  ...of('packages/device-sdk/src/trust/trust-state.ts', ['lifecycle.test.ts'], {
    'device: deadline of the list': ['atMs: deadlineMs }', 'atMs: Infinity }'],
    'device: wiped after thirty days without a sync': ['syncedAtMs + FULL_WIPE_MS', 'Infinity'],
    'device: the device key goes with a revoked device': [
      "return reason === 'device-revoked' || reason === 'no-sync-30-days';",
      'return false;',
    ],
  }),
  ...of('packages/device-sdk/src/admissions/admission-log.ts', ['admissions/admission-log.test.ts'], {
    'device: who was let in is refused': ["rule.policy === 'refuse' && beforeMs !== null", 'false'],
    'device: an altered page of the log lets nobody in': "if (policy === 'refuse') throw error;",
  }),
  ...of('packages/device-sdk/src/sync/admission-exchange.ts', ['admissions/shared-admissions.test.ts'], {
    'device: nobody waits after a failure': ['this.#nowMs() - this.#failedAtMs < PAUSE_MS', 'false'],
    'device: an answer about admissions replayed': "if (read.nonce !== nonce) throw new SyncRefusal('other-nonce');",
  }),
  ...of('packages/device-sdk/src/admissions/admission-log.ts', ['admissions/shared-admissions.test.ts'], {
    'device: a take-back is told although the log has nothing':
      'if (end !== null) await this.#write(page, { ...content, unsent: [...unsent, end] });',
    'device: what was learnt is outdated by an answer': ['verdict ? verdict.elsewhere : shared', 'shared'],
  }),
  ...of('apps/api/src/features/admissions/service.ts', ['features/admissions/admissions.e2e.test.ts'], {
    'api: the first claim wins': "if (kind === 'claim' && elsewhereOf(known, deviceId) !== undefined) return null;",
    'api: a claim that came to nothing at its door': [' && one.deviceId !== deviceId);', ');'],
    'api: each device’s admission is its own': [
      'own === undefined ? null : { ...own, sequence, takenBack: true }',
      'null',
    ],
    'api: an erased person’s admission told late': "if (kind !== 'claim' && isOfErased) return null;",
    'api: admissions are signed': ' || !timingSafeEqual(given, expected)',
  }),
  ...of('apps/api/src/features/people/service.ts', ['features/admissions/admissions.e2e.test.ts'], {
    'api: an erased person’s admissions': 'await o.admissions.forget(tx, vault, list, gone);',
  }),
  ...of('packages/device-sdk/src/person-verifier.ts', ['admissions/admissions.test.ts'], {
    'device: who cannot be remembered is not let in':
      "if (this.#options.vault.state.list?.reEntry === 'refuse') return notRecorded;",
  }),
  ...of('packages/device-sdk/src/admissions/page.ts', ['admissions/admission-log.test.ts'], {
    'device: admissions of a person whose deadline has passed': 'deleteAfterMs <= nowMs ||',
  }),
  ...of('packages/device-sdk/src/admissions/arrivals.ts', ['admissions/arrivals.test.ts'], {
    'device: a ticket is counted once':
      'if (before !== undefined && kinds.indexOf(before.kind) >= kinds.indexOf(arrival.kind)) return arrivals;',
    'device: a ticket that counts otherwise is taken out of what it was counted as': [
      'changed(arrivals.buckets, before, -1)',
      'arrivals.buckets',
    ],
  }),
  ...of('packages/device-sdk/src/vault/vault.ts', ['admissions/arrivals.test.ts'], {
    'device: a service that says nothing of arrivals ends no counting': [' ?? former?.arrivals', ''],
    'device: counting begins after what was told': ['isNew ? bucketMs : bucketMs + ARRIVALS_BUCKET_MS', 'bucketMs'],
  }),
  ...of('apps/api/src/features/arrivals/publication.ts', ['features/arrivals/publication.property.test.ts'], {
    'arrivals: no step of fewer than five': 'if (step < ARRIVALS_STEP) return bucket;',
    'arrivals: late people are not told twice': ['Math.min(carried, left)', 'carried'],
    'arrivals: nobody is carried to where a ticket counts again': ['halfDayOf(startsAt.getTime())', '0'],
  }),
  ...of('apps/api/src/features/arrivals/service.ts', ['features/arrivals/arrivals.e2e.test.ts'], {
    'arrivals: signature of a report':
      "if (!(await isSigned(caller, report))) throw new ServiceError('invalid-credential');",
  }),
  ...of('packages/device-sdk/src/vault/generations.ts', ['vault/generations.test.ts'], {
    'device: key of the log deleted': 'if (options.withLog) await attempt(keyStore.deleteAdmissionKey());',
    'device: key of the log verified to be gone': ['(options.withLog && (await keyStore.hasAdmissionKey()))', 'false'],
    'device: a key that survives its deletion':
      "if (keysLeft) throw new FaceError('storage-failed', 'a key survived its deletion', { retryable: true });",
  }),
  ...of('packages/device-sdk/src/sync/check-answer.ts', ['sync/hostile-answers.test.ts'], {
    'device: signature of the manifest': "if (!valid) throw new SyncRefusal('signature-invalid');",
    'device: version rolled back':
      "if (manifest.toVersion < identity.version) throw new SyncRefusal('version-rolled-back');",
    'device: answer replayed': "if (manifest.nonce !== expected.nonce) throw new SyncRefusal('other-nonce');",
    "device: another device's answer":
      "if (manifest.deviceKeyThumbprint !== expected.deviceKeyThumbprint) throw new SyncRefusal('other-device');",
    'device: a lease is no longer than the interface allows':
      "if (leaseExpiresAtMs > issuedAtMs + LEASE_MS) throw new SyncRefusal('manifest-invalid');",
    'device: hash of the payload': ['toBase64Url(payloadHash.digest()) !== manifest.payloadSha256', 'false'],
    'device: hash of the state': ' || !sameBytes(index.stateHash, stateHash)',
    'device: change of epochs': "if (!same) throw new SyncRefusal('pack-invalid');",
  }),
  ...of('packages/device-sdk/src/sync/check-answer.ts', ['list-settings.test.ts'], {
    'device: an unattended list that it cannot serve': ['!expected.attendances.includes(attendance)', 'false'],
  }),
  ...of('packages/device-sdk/src/check-in-device.ts', ['list-settings.test.ts'], {
    'device: an unattended list after a passive model is lost':
      'await vault.eraseUnsuited(attendancesOf(checked.unattended));',
  }),
  ...of('packages/device-sdk/src/trust/region.ts', ['signing-keys.test.ts'], {
    'device: pinned signing keys': 'if (!ids.includes(signedBy)) return undefined;',
  }),
  ...of('packages/device-sdk/src/trust/trust-state.ts', ['stored-data.test.ts'], {
    'device: state written by others': 'if (!sameBytes(mac, sealed.subarray(0, MAC_BYTES))) return null;',
  }),
  ...of('packages/device-sdk/src/vault/generations.ts', ['stored-data.test.ts'], {
    'device: older pack under a newer state': ['toBase64Url(index.digest) === list.packDigest ? index : null', 'index'],
  }),
  ...of('packages/device-sdk/src/sync/synchroniser.ts', ['lifecycle.test.ts'], {
    'device: revoked, and wiped': 'await vault.carryOut(answer, sentAtMs);',
  }),
  ...of('packages/device-sdk/src/person-verifier.ts', ['attempt-interrupted.test.ts'], {
    'device: record changed during the attempt':
      "if (!sameBytes(now.found.record, found.record)) return { outcome: 'NotEnrolled', reason: 'record-changed' };",
  }),
  ...of('packages/device-sdk/src/attempt/run-attempt.ts', ['check-in-device.test.ts', 'attempt/run-attempt.test.ts'], {
    'attempt: threshold': [
      'return this.#probe.cosine(reference) >= threshold;',
      'return this.#probe.cosine(reference) >= -threshold;',
    ],
    'attempt: turned margin is for turned faces alone': [
      "pose === 'frontal' ? matchThreshold : matchThreshold - turnedMargin",
      'matchThreshold - turnedMargin',
    ],
  }),
  ...of('packages/device-sdk/src/attempt/run-attempt.ts', ['face-swapped.test.ts', 'attempt/run-attempt.test.ts'], {
    'attempt: turned face compared': ['return engine.core.cosine(template, reference) >= threshold;', 'return true;'],
  }),
  ...of('packages/device-sdk/src/attempt/run-attempt.ts', ['two-engines.test.ts'], {
    'attempt: threshold between versions': ['former?.matchThreshold ?? 0', '0'],
  }),
  ...of(
    'packages/device-sdk/src/verification/frame-facts.ts',
    ['verification/machine.test.ts', 'check-in-device.test.ts'],
    {
      'attempt: wrong way turn': [
        'if (towards(event.yawDeg, facts) > -policy.wrongWayYawDeg) return seen;',
        'if (event.yawDeg < 1000) return seen;',
      ],
    },
  ),
  ...of(
    'packages/device-sdk/src/verification/frame-facts.ts',
    ['verification/machine.test.ts', 'verification/machine.property.test.ts'],
    {
      'attempt: passive gate': ['outward < policy.passive.minOutward', 'outward < 0'],
      'attempt: frame of an attack': ['event.passive <= calibration.attackFrameAtMost', 'event.passive < 0'],
    },
  ),
  ...of('packages/device-sdk/src/verification/frame-facts.ts', ['verification/machine.test.ts'], {
    'attempt: another face after the match':
      "if (event.track === 'new') return { facts, verdict: { outcome: 'ChallengeFailed', reason: 'face-swapped' } };",
  }),
  ...of('packages/face-engine/src/relief/relief-meter.ts', ['packages/device-sdk/src/verification/relief.test.ts'], {
    'attempt: relief': ' || !(depth >= policy.minDepth)',
  }),
  ...of(
    'packages/device-sdk/src/verification/tracked.ts',
    ['verification/machine.test.ts', 'verification/machine.property.test.ts'],
    {
      'attempt: parallax': "if (!(event.parallax >= policy.minParallax)) return 'without-parallax';",
    },
  ),
  ...of('packages/device-sdk/src/verification/witness.ts', ['verification/machine.test.ts'], {
    'unattended: room': "if (!(event.room >= policy.minRoom)) return 'too-little-room';",
    'unattended: the turn follows for who scores low': ["&& setup.active === 'head-turn'", ''],
    'unattended: surely live': ['>= fit.surelyLive', '>= 0'],
    'unattended: evidence of the frame itself': ['>= policy.minOwnEvidence', '>= 0'],
    'unattended: evidence of an attack': ['fit !== null && !(evidence >', 'false && !(evidence >'],
    'unattended: the lit head is there to the end': ['isLitDoor(facts) && !isLightAnswered(facts)', 'false'],
    'unattended: limit of light sequences': ['sequences < policy.light.maxSequences &&', 'sequences < 99 &&'],
    'unattended: the lit head stays': ['{ ...litHead, hasTurned } : null', '{ ...litHead, hasTurned } : litHead'],
  }),
  ...of('packages/device-sdk/src/verification/frame-facts.ts', ['verification/machine.test.ts', 'attendance.test.ts'], {
    'unattended: a lit frame that is surely an attack': ['&& !isSurelyAttack(evidence, setup)', ''],
    'unattended: who is not lit has to score': ['!outweighsScore(facts) &&', "facts.attendance === 'staffed' &&"],
  }),
  ...of('packages/device-sdk/src/verification/tracked.ts', ['verification/machine.test.ts'], {
    'unattended: strong light is no answer': ["'light' && attendance === 'staffed'", "'light'"],
    'unattended: the lit face is the person all the time': ['!isUnseen(state, atMs)', 'true'],
    'unattended: when a lit face is compared': ['const isOverdue = !isComparable &&', 'const isOverdue = false &&'],
    'unattended: each sequence is seen': ["seenAsPerson && state.facts.attendance === 'staffed'", 'seenAsPerson'],
  }),
  ...of('packages/device-sdk/src/person-verifier.ts', ['list-settings.test.ts'], {
    'unattended: attempts from before':
      "if (attendance === 'staffed' && this.#attendance() === 'unattended') return outdated;",
  }),
  ...of('packages/device-sdk/src/attempt/run-attempt.ts', ['attempt/run-attempt.test.ts'], {
    'unattended: a real camera': ["attendance === 'unattended' && camera.origin !== 'device'", 'false'],
  }),
  ...of('packages/device-sdk/src/attempt/run-attempt.ts', ['attendance.test.ts'], {
    'unattended: evidence of the light': ["if (this.#setup.attendance !== 'unattended') return true;", 'return true;'],
  }),
  ...of('packages/device-sdk/src/verification/frontal.ts', ['verification/machine.test.ts'], {
    'unattended: the early light is of one face': [
      '{ ...state.facts, litHead: null },\n  litSinceMs: null,',
      'state.facts,',
    ],
    'unattended: the early light is of one head': ['facts.litHead === null ? unlit(state)', 'false ? unlit(state)'],
  }),
  ...of('packages/core/src/aead/wasm.ts', ['aead/aead.contract.test.ts'], {
    'core: tag comparison': [
      'return status === 0 ? heap.bytes(dataAt, length).slice() : null;',
      'return status < 99 ? heap.bytes(dataAt, length).slice() : null;',
    ],
  }),
  ...of('packages/core/src/network/compile-integers.ts', ['network/integers.test.ts'], {
    'core: sums of integers fit 32 bits': ['!(most < sumLimit)', '!(most < 2 * sumLimit)'],
    'core: a weight is as small as its sums need': 'if (weight > mostWeight) return null;',
    'core: averages fit 32 bits': ['count * mostOf(x) >= sumLimit', 'false'],
  }),
  ...of('packages/core/src/network/compiled-layer.ts', ['network/integers.test.ts'], {
    'core: windows that kernels can count': ['const mostMargin = 4096;', 'const mostMargin = 2 ** 40;'],
  }),
  ...of('wasm/assembly/requantise.ts', ['packages/core/src/network/integers.test.ts'], {
    'core: halves are rounded to even': ['f32 = 12582912;', 'f32 = 12582911;'],
  }),
  ...of('packages/core/src/pack/record.ts', ['pack/record.test.ts'], {
    'core: the deadline is part of what a record is bound to': [
      'utf8(context.engineId), deleteAfter);',
      'utf8(context.engineId));',
    ],
    'core: a salt of each sealing’s own': '  crypto.getRandomValues(salt);\n',
    'core: the check record opens under no personId': 'if (!isPersonId(input.personId)) throw openFailed();',
  }),
  ...of('apps/api/src/crypto/sealed-box.ts', ['crypto/crypto.test.ts'], {
    'service: context of a wrapped key': [
      'export function encodeContext(',
      'export const encodeContext = (..._fields: string[]) => new Uint8Array(1);\nfunction _encodeContext(',
    ],
  }),
  ...of('apps/api/src/crypto/transit.ts', ['crypto/kek.e2e.test.ts'], {
    'service: a token for a vault travels by TLS': ["url.protocol === 'https:' || isLoop", 'true || isLoop'],
  }),
  ...of('apps/api/src/features/people/enrolment.ts', ['features/people/enrolment.e2e.test.ts'], {
    'service: consent version': "if (consentVersion !== accepted) throw new ServiceError('consent-version-mismatch');",
    'service: consent is right before the photo is decoded': [
      'const accepted = requireOpenFor(caller, list, consent.consentVersion);',
      'const accepted = consentVersionOf(caller, list);',
    ],
    'service: a face replaced by a session of long ago': ['isStale(caller, now) && (await replaces())', 'false'],
    'service: a face replaced by it at the same time': ['present !== null && isStale(caller, at)', 'false'],
  }),
  ...of('apps/api/src/features/people/enrolment.ts', ['features/consents/consents.e2e.test.ts'], {
    'service: consent is recorded with the enrolment':
      'await o.consents.recordGiven(tx, vault, { accountId, listId, personId }, consent, deleteAfter, shown);',
  }),
  ...of('apps/api/src/features/metadata.ts', ['features/metadata.e2e.test.ts'], {
    'service: metadata of people is sealed': ['vault.sealMetadata(rowId, ', 'Buffer.from('],
  }),
  ...of('apps/api/src/features/accounts/routes.ts', ['features/accounts/api-keys.e2e.test.ts'], {
    'service: a key without the scope is not told the bill': ["scopes.includes('account:read')", 'true'],
  }),
  ...of('apps/api/src/features/lists/service.ts', ['features/lists/lists.e2e.test.ts'], {
    'service: an end is final after ten minutes': ['if (isFinal || ', 'if ('],
  }),
  ...of('apps/api/src/features/lists/store.ts', ['features/lists/lists.e2e.test.ts'], {
    "service: another account's list": [
      'const where = ({ accountId, listId }: ListKey) => ({ account_id: accountId, list_id: listId });',
      'const where = ({ listId }: ListKey) => ({ list_id: listId });',
    ],
  }),
  ...of('apps/api/src/features/widget/service.ts', ['features/widget/widget.e2e.test.ts'], {
    'service: a token is used once':
      "if (state === 'used' || state === 'declined') throw new ServiceError('token-used');",
    'service: a photo keeps its token while it is worked on':
      'endRenewals = keepLease(o.clock, (end) => o.store.renewExamination(guest, examination, end));',
  }),
  ...of('apps/api/src/features/widget/service.ts', ['features/brand/brand.e2e.test.ts'], {
    'service: a preview takes no photo and no decline': "if (isPreview) throw new ServiceError('preview-only');",
  }),
  ...of('apps/api/src/inference/draw-logo.ts', ['inference/draw-logo.test.ts'], {
    'service: a logo is drawn anew, and nothing else of its file is kept': [
      'if (drawn.length <= MAX_LOGO_BYTES) return drawn;',
      'if (drawn.length <= MAX_LOGO_BYTES) return image;',
    ],
  }),
  ...of('apps/api/src/features/widget/store.ts', ['features/widget/widget.e2e.test.ts'], {
    'service: a token is spent once, at the same time as well': [
      "const UNSPENT = 'used_at IS NULL AND declined_at IS NULL AND revoked_at IS NULL';",
      "const UNSPENT = '1 = 1';",
    ],
  }),
  ...of('apps/api/src/http/guards.ts', ['http/http.test.ts'], {
    'service: mistyped credentials are counted': [
      "lookUp(request, () => o.authenticateDevice(bearerOf(request, 'svcd')))",
      "o.authenticateDevice(bearerOf(request, 'svcd'))",
    ],
  }),
  ...of('apps/api/src/features/idempotency/service.ts', ['features/idempotency/service.e2e.test.ts'], {
    'service: idempotency key of another request': ' || !timingSafeEqual(known.requestHmac, requestHmac)',
    'service: a claim that was lost has no effect':
      'if (!(await o.store.complete(tx, name, claimId, carriedOut))) throw inFlight(leaseEnd(o.clock));',
    'service: a claim is renewed while its node works': [
      'keepLease(o.clock, (end) => o.store.renew(name, claimId, end))',
      '() => undefined',
    ],
  }),
  ...of('apps/api/src/features/idempotency/service.ts', ['features/idempotency/idempotency.e2e.test.ts'], {
    'service: idempotent replay': 'if (!held) return { answer: await repeat(name, requestHmac, vault) };',
  }),
  ...of('apps/api/src/db/roles.ts', ['db/roles.e2e.test.ts'], {
    'service: audit log and ledger are not changed by the role that serves':
      "[/^(audit_log|consents)$/, 'INSERT, SELECT'],",
    'service: what would delete the ledger with its account is told': "('accounts', 'REFERENCES'), ",
    'service: rights that PUBLIC has are taken away': ['grantee IN (r.oid, 0)', 'grantee = r.oid'],
    'service: rights to columns are taken away': ['attrelid = c.oid', 'false'],
  }),
  ...of('apps/api/src/db/migrations/0028-serving-role.ts', ['db/roles.e2e.test.ts'], {
    'service: evidence is erased by the database’s clock': ['least(before, (', 'greatest(before, ('],
    'service: no account goes without an entry in the audit log':
      "AND EXISTS (SELECT FROM audit_log WHERE account_id = account AND action = 'account.delete')",
  }),
  ...of('apps/api/src/db/embedded/server.ts', ['db/embedded/server.e2e.test.ts'], {
    'service: the embedded database’s role that serves is no superuser': ['NOSUPERUSER', 'SUPERUSER'],
    'service: a locked table keeps erased data of no other in the files': ['locked = error;', 'throw error;'],
  }),
  ...of('apps/api/src/compose/background.ts', ['features/restore/unreadable.e2e.test.ts'], {
    'service: erased faces leave the disk within a minute': [
      'everyMs: MINUTE_MS / 2, atStart',
      'everyMs: HOUR_MS, atStart',
    ],
    'service: erased faces leave the disk at each start': 'atStart: true, ',
  }),
  ...of('apps/api/src/db/primary.ts', ['db/primary.e2e.test.ts'], {
    'service: former primary of the database': [
      'timeline !== null && newest !== null && cluster === known && timeline < newest',
      'false',
    ],
    'service: commit that reached no standby': ["if (routine !== 'SyncRepWaitForLSN') return;", 'return;'],
    'service: database that takes no writes':
      "if (standing.isReadOnly) throw refusal('the database takes no writes: it is a standby, or read-only by a setting');",
  }),
  ...of('apps/api/src/http/rate-limiter.ts', ['http/rate-limiter.test.ts'], {
    'service: rate limit': ['const exceeded = remaining < 0;', 'const exceeded = false;'],
  }),
  ...of('apps/api/src/http/body.ts', ['http/body.test.ts'], {
    'service: size of a body': ['const isWanted = size + chunk.length <= limitBytes;', 'const isWanted = true;'],
    'service: declared size of a body':
      "if (declared !== undefined && Number(declared) > limitBytes) throw new ServiceError('request-too-large');",
    'service: bytes that arrived are wiped': ['} finally {\n    wipeAll(chunks);', '} finally {\n    '],
  }),
  ...of('apps/api/src/http/understand-body.ts', ['http/body.test.ts'], {
    'service: no photo of a form in a string':
      'if (inJson !== undefined) throw refused({ pointer: inJson.pointer, detail: HAS_TO_BE_A_PART });',
  }),
  ...of('apps/api/src/features/people/routes.ts', ['features/people/at-once.e2e.test.ts'], {
    'service: few of a batch at a time': ['{ length: atOnce }', '{ length: items.length }'],
  }),
  ...of('apps/api/src/http/guards.ts', ['features/sessions/roles.e2e.test.ts'], {
    'service: fresh sign-in':
      "if (ageMs > freshMsOf(operationId, session.role)) throw new ServiceError('reauthentication-required');",
    'service: fresh sign-in because of the body': 'requireFresh(caller, operation, Object(value));',
    'service: what takes away is quick': [' || value === false', ''],
  }),
  ...of('apps/api/src/features/tokens/service.ts', ['features/people/enrolment.e2e.test.ts'], {
    'service: a link to replace a face': ['isStale(caller, now) && ', 'false && '],
  }),
  ...of('apps/api/src/features/live/service.ts', ['features/live/service.test.ts'], {
    'service: scopes of topics': ['scopes.includes(liveTopicScopes[topic])', 'true'],
  }),
  ...of('apps/dashboard/src/api/kept.ts', ['api/client.test.ts'], {
    'dashboard: imports end with the session': ["session: ['svcd-imports']", 'session: []'],
  }),
  ...of('packages/face-models/src/plan/quantise.ts', ['plan/quantise.test.ts'], {
    'models: sums of 32 bits': ['Math.min(mostOfMap, Math.floor(mostOfSum / at(loads, source)))', 'mostOfMap'],
  }),
  ...of('packages/face-models/src/node/fetch-pinned.ts', ['node/install-add-on.test.ts'], {
    'models: only the published bytes': [
      " && createHash(digest.algorithm).update(content).digest('hex') === digest.hex",
      '',
    ],
    'models: two processes never write to the same part': ' && !isRunning(owner)',
    'models: two fetches of a process never write to the same part': ' && !writing.has(join(folder, name))',
  }),
  ...of('packages/face-models/src/manifest.ts', ['manifest.test.ts'], {
    'models: a threshold above zero': ' && value > 0 && value <= 1',
  }),
  ...of('apps/api/src/inference/seal-photo.ts', ['inference/looks-live.test.ts'], {
    'service: the score from which on a photo is live': ['score >= least', 'score >= 0'],
  }),
  ...of('apps/api/src/inference/seal-photo.ts', ['inference/seal-photo.test.ts'], {
    'service: photo wiped after use': ['    photo.fill(0);\n    pixels?.data.fill(0);', '    pixels?.data.fill(0);'],
    'service: pixels wiped after use': '    pixels?.data.fill(0);',
    'service: template wiped after use': 'for (const template of templates) template.fill(0);',
    'service: photos of different people': "if (!isSame) return refuse({ ok: false, reason: 'different-person' }, i);",
  }),
  ...of('apps/api/src/features/webhooks/sender.ts', ['features/webhooks/signature.vectors.test.ts'], {
    'service: signature of a webhook': '.update(body)',
  }),
  ...of('apps/api/src/features/webhooks/receiver-policy.ts', ['features/webhooks/receiver-policy.test.ts'], {
    'service: private addresses of webhooks':
      "if (address.range() !== 'unicast' || PUBLIC_YET_PRIVATE.has(address.toString())) return false;",
  }),
  ...of('apps/api/src/features/webhooks/sender.ts', ['features/webhooks/sender.test.ts'], {
    'service: names of webhooks that resolve to private addresses':
      'if (!addresses.every((address) => policy.isAddressAllowed(address))) throw new AddressNotAllowedError();',
  }),
  ...of('apps/api/src/features/sessions/first-owner.ts', ['features/sessions/first-owner.test.ts'], {
    'api: the first owner’s link lets one person in': [' || isUnderWay', ''],
  }),
  ...of('apps/api/src/features/notices/store.ts', ['features/devices/devices.e2e.test.ts'], {
    'api: a silence is told once': [' WHERE notices_told.until <= :now', ''],
    'api: a revoked door is not missed':
      "d.revoked_at IS NULL AND (d.wipe_told IS NULL OR d.wipe_told = 'device-unsuited') AND ",
  }),
  ...of('apps/api/src/features/sync/service.ts', ['features/sync/list-settings.e2e.test.ts'], {
    'sync: an unattended list goes to devices that can serve it':
      "if (head.attendance === 'unattended' && !attendances.includes('unattended')) return refuse(caller, request);",
  }),
  ...of('apps/api/src/features/sync/service.ts', ['features/devices/devices.e2e.test.ts'], {
    'service: a revoked device is told to wipe': "if (device.revokedAt !== null) return 'device-revoked';",
  }),
  ...of('apps/api/src/features/sync/service.ts', ['apps/e2e/src/sync/wipe.e2e.test.ts'], {
    'service: who is due within a day is withheld':
      'await o.database.transaction((tx) => o.store.withholdDue(tx, caller, dueAt, new Date(nowMs)));',
  }),
  ...of('apps/api/src/features/sync/delta.ts', ['apps/e2e/src/sync/deltas.e2e.test.ts'], {
    'service: changes of a list tell of removals': [
      'if (changed.length === MAX_CHANGES) return null;',
      'changed.splice(0, changed.length, ...changed.filter((face) => face.isServed));',
    ],
  }),
  ...of('apps/api/src/features/restore/service.ts', ['features/restore/restore.e2e.test.ts'], {
    'service: a restored list goes on behind the versions that devices have seen':
      'lifted += await o.store.liftVersions(seen);',
  }),
  ...of('apps/api/src/features/sync/service.ts', ['apps/e2e/src/simulation/simulation.test.ts'], {
    'simulation: a revoked device is told to wipe': "if (device.revokedAt !== null) return 'device-revoked';",
  }),
  ...of('apps/api/src/features/restore/erase-again.ts', ['features/restore/restore.e2e.test.ts'], {
    'service: erased people stay erased after a restore':
      'for (const face of revived) await remove(tx, vault, list, face);',
  }),
  ...of('apps/api/src/features/retention/service.ts', ['features/retention/retention.e2e.test.ts'], {
    'service: retention of removed faces': [
      'removals: () => o.store.deleteRemovals(ago(REMOVAL_MEMORY_MS)),',
      'removals: () => Promise.resolve(),',
    ],
  }),
  ...of('apps/api/src/features/people/expiry.ts', ['features/retention/retention.e2e.test.ts'], {
    'service: people past their deadline are removed': 'removed += await removeExpiredOf(key);',
  }),
  ...of('apps/kiosk/src/view-model/transition.ts', ['view-model/transition.test.ts'], {
    'kiosk: the staff PIN is asked for': ['if (!state.hasPin) return', 'if (state.hasPin || !state.hasPin) return'],
    'kiosk: a new list is asked about': ['= confirmed ? door :', '= confirmed || !confirmed ? door :'],
  }),
  ...of('apps/kiosk/src/pairing/staff-pin.ts', ['pairing/staff-pin.test.ts'], {
    'kiosk: wrong PINs are slowed': 'if (waitMs > 0) return { ...tries, waitLeftMs: waitMs };',
  }),
  ...of('apps/kiosk/src/pairing/pairing.ts', ['view-model/transition.test.ts'], {
    'kiosk: a pairing link of another page': ['link !== null && !isSamePage(link, parseUrl(page))', 'false'],
  }),
  ...of('apps/kiosk/src/kiosk.ts', ['kiosk.test.ts'], {
    'kiosk: a key pair belongs to one token': [
      'if (keptFor !== null && keptFor !== (await hashOfToken(deviceToken))) {',
      'if (keptFor === deviceToken) {',
    ],
  }),
  ...of('apps/api/src/http/hosts.ts', ['features/site/site.e2e.test.ts'], {
    'hosts: a session away from the dashboard': "if (role !== 'dashboard') delete request.headers.cookie;",
    'hosts: a page at another host': [' : owner === role) return', ' : true) return'],
    'hosts: a redirect that may lead back': ['named && owner && urlOf', 'owner && urlOf'],
    'hosts: an operation at a page’s host': ['hosts[role].operations.test(path)', 'true'],
  }),
  ...of('apps/api/src/config/config.ts', ['config/config.test.ts'], {
    'hosts: one name for two of them': ['if (owner !== undefined) throw', 'if (name === owner) throw'],
    'a beta build of PostgreSQL in production': [
      "if (DATABASE_URL !== undefined || SVC_EMBEDDED_DATABASE === 'yes')",
      '',
    ],
  }),
  ...of('apps/widget/src/embed/address.ts', ['embed/address.property.test.ts'], {
    'widget: a token in the address bar': ['view.history.replaceState(view.history.state, ', 'String('],
  }),
  ...of('apps/widget/src/embed/parent.ts', ['embed/parent.test.ts'], {
    'widget: hello of another window': 'source !== view.parent || ',
  }),
  ...of('packages/device-sdk-native/src/codec.ts', ['vectors.test.ts'], {
    'contract: session of a message': 'if (!opens && envelope.session !== session) return dropped;',
    'contract: a request twice': "if (id <= highestId) return refused('message-invalid');",
    'contract: form of a request':
      "if (!isBody(from, 'request', name as string, body)) return refused('message-invalid');",
    'contract: form of an answer':
      "if (!isBody(from, 'answer', name, body)) return { kind: 'invalid-answer', id, name };",
    'contract: version of an answer': [
      'return v === 1 ? readReply(envelope, from) : dropped;',
      'return readReply(envelope, from);',
    ],
    'contract: size of a text': 'if (isTooLarge(text)) return null;',
  }),
  ...of('packages/device-sdk-native/src/channel.ts', ['vectors.test.ts'], {
    'contract: an answer to another request': ' || waiting.name !== name',
  }),
  ...of('packages/device-sdk-react-native/src/contract.ts', ['device.test.ts'], {
    'React Native: an answer that the contract does not allow is no result': [
      'value !== null && checkOf(definition)(value)',
      'value !== null',
    ],
  }),
  ...of('packages/device-sdk-react-native/src/device.ts', ['device.test.ts'], {
    'React Native: no result after the device has ended': 'for (const abandon of this.#abandon) abandon(disposed());',
  }),
  ...of('packages/device-sdk-react-native/src/device-error.ts', ['device.test.ts'], {
    'React Native: exceptions that the contract does not know are not repeated': [
      'if (isFailureCode(code)) return',
      'return',
    ],
  }),
  ...of('apps/api/src/features/sync/payload-link.ts', ['features/sync/payload-link.test.ts'], {
    'payloads: a link ends, and soon': 'if (left <= 0 || left * 1000 > 2 * WINDOW_MS + CLOCK_MS) return null;',
    'payloads: one form of a link':
      "if (link !== linkText({ ...linked, signature: signature.toString('base64url') })) return null;",
  }),
  ...of('apps/api/src/features/sync/store.ts', ['features/sync/payloads.e2e.test.ts'], {
    'payloads: none of a suspended account': ' AND a.suspended_at IS NULL',
  }),
  ...of('apps/api/src/features/sync/service.ts', ['features/sync/payloads.e2e.test.ts'], {
    'payloads: none of a list past its deadline': ' && !isOver',
    'payloads: a link that was sent is no sync': ['(link === null || !hasCopy)', 'true'],
  }),
  ...of('packages/device-sdk/src/sync/fetch-answer.ts', ['sync/links.test.ts'], {
    'payloads: links lead to the service, or over TLS': "if (!LINK.test(url)) throw new LinkFailure('unavailable');",
  }),
  ...of('packages/device-sdk/src/sync/synchroniser.ts', ['sync/links.test.ts'], {
    'payloads: inline after a link failed': ["failed ?? (isPaused ? null : 'by-link')", "'by-link'"],
  }),
  ...of('apps/api/src/inference/decode-photo.ts', ['inference/decode-photo.test.ts'], {
    'photos: the size in the header, before a pixel is decoded': ['return fault ?? (await', 'return (await'],
  }),
  ...of('apps/api/src/features/tokens/guests.ts', ['features/tokens/guests.test.ts'], {
    'api: guests are read few at once': ['const AT_ONCE = 2;', 'const AT_ONCE = 9;'],
  }),
  ...of('apps/api/src/inference/seal-photo.ts', ['features/accounts/test-mode.e2e.test.ts'], {
    'api: no photo of a person gets into a test account':
      "if (name === null) return { ok: false, reason: 'not-a-test-photo' };",
  }),
  ...of('apps/api/src/features/people/enrolment.ts', ['features/accounts/test-mode.e2e.test.ts'], {
    'api: a live account takes no test photo for a face': ["isTest: bill.mode === 'test' }", 'isTest: true }'],
    'api: people of a test list': ['sealed.isTest && present === null &&', 'false &&'],
  }),
  ...of('packages/device-sdk/src/person-verifier.ts', ['test-mode.test.ts'], {
    'device: an ID lets nobody in at a live door': ["list?.mode === 'test'", 'list !== null'],
  }),
  ...of('apps/widget/src/page/api/widget-api.ts', ['page/api/widget-api.test.ts'], {
    'widget: a picture of a guest is sent to no test account': ["mode === 'test'", 'false'],
  }),
  ...of('apps/api/src/features/webhooks/service.ts', ['features/webhooks/webhooks.e2e.test.ts'], {
    'api: what is sent is not fetched instead':
      "if (webhook.delivery === 'push') throw new ServiceError('webhook-pushed');",
  }),
  ...of('apps/api/src/db/columns.ts', ['features/people/people.e2e.test.ts'], {
    'api: a wildcard in a search stands for itself': ".replace(/[\\\\%_]/g, '\\\\$&')",
  }),
  ...of('apps/dashboard/src/components/many.tsx', ['components/many.test.ts'], {
    'dashboard: many people are gone only where each was answered': ['rowsAtOnce === 1 && hasCode', 'hasCode'],
    'dashboard: all of a request that failed have failed': [
      'for (const row of [first, ...others])',
      'for (const row of [first])',
    ],
  }),
  ...of('apps/dashboard/src/components/files.ts', ['components/files.test.ts'], {
    'dashboard: a formula behind a separator in a cell': ['(?:[,;|\\t"]|', '(?:^,|'],
    'dashboard: what is no text is no table': "if (text?.includes('\\0') === true) throw new NoTable('binary');",
    'dashboard: a formula in a cell': '.replace(FORMULA, "$&\'")',
    'dashboard: cells of tables are quoted': ".replaceAll('\"', '\"\"')",
  }),
];

function of(file, names, checks) {
  const sources = `${file.split('/').slice(0, 2).join('/')}/src/`;
  const tests = names.map((name) => (/^(apps|packages)\//.test(name) ? name : sources + name));
  return Object.entries(checks).map(([check, texts]) => {
    const [find, replace = ''] = [texts].flat();
    return { check, file, find, replace, tests };
  });
}
