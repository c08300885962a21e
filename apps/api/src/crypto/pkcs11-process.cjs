/**
 * The process that speaks PKCS#11 (2.40) for pkcs11.ts: opens one key, makes HMACs by it one after another, and ends when
 * anything fails, because most libraries recover by a new `C_Initialize` alone. Plain JavaScript, so that it starts at once.
 */
const process = require('node:process');

let step = 'the npm package pkcs11js is not built';

/** The one of `found`. */
function single(found, name) {
  step = found.length === 0 ? `no such ${name}` : `several match: ${name}`;
  if (found.length === 1) return found[0];
  throw new Error('not-found');
}

/** @returns makes an HMAC-SHA-256 */
function open({ key: { 'module-path': path, token, object }, pin }) {
  const c = require('pkcs11js');
  const pkcs11 = new c.PKCS11();
  step = 'the PKCS#11 library cannot be loaded';
  pkcs11.load(path);
  pkcs11.C_Initialize();
  const isToken = (slot) => token === undefined || pkcs11.C_GetTokenInfo(slot).label.trim() === token;
  const slot = single(pkcs11.C_GetSlotList(true).filter(isToken), 'token');
  step = 'the token is locked, or would be by one more wrong PIN: log in by its own tool';
  const session = pkcs11.C_OpenSession(slot, c.CKF_SERIAL_SESSION);
  if (pin !== undefined) {
    if (pkcs11.C_GetTokenInfo(slot).flags & (c.CKF_USER_PIN_FINAL_TRY | c.CKF_USER_PIN_LOCKED))
      throw new Error('pin-locked');
    step = 'the token refuses the PIN';
    pkcs11.C_Login(session, c.CKU_USER, pin);
  }
  pkcs11.C_FindObjectsInit(session, [
    { type: c.CKA_CLASS, value: c.CKO_SECRET_KEY },
    { type: c.CKA_LABEL, value: object },
  ]);
  const key = single(pkcs11.C_FindObjects(session, 2), 'secret key in the token');
  pkcs11.C_FindObjectsFinal(session);
  step = 'the key can leave the token (CKA_EXTRACTABLE)';
  const [{ value }] = pkcs11.C_GetAttributeValue(session, key, [{ type: c.CKA_EXTRACTABLE }]);
  if (value[0] !== 0) throw new Error('extractable');
  step = 'the token makes no HMAC-SHA-256 by the key';
  return (message) => {
    pkcs11.C_SignInit(session, { mechanism: c.CKM_SHA256_HMAC }, key);
    return pkcs11.C_Sign(session, Buffer.from(message), Buffer.alloc(32));
  };
}

let mac = null;
process.on('disconnect', () => process.exit(0));
process.on('message', (question) => {
  try {
    const made = mac?.(question) ?? Buffer.alloc(0);
    mac ??= open(question);
    process.send(made, () => made.fill(0));
  } catch ({ message, code }) {
    // Codes of PKCS#11 are messages; other messages may quote a path.
    process.send({ failed: step, code: /^(CKR_\w+|[a-z-]+)$/.test(message) ? message : String(code) }, () =>
      process.exit(1),
    );
  }
});
