// Signs for `almanac tx` with a key of its own, over a local socket (docs/keys.md#another-program-that-signs).
//   node examples/signer.mjs SOCKET KEY.pem [--yes]
// It makes the key file at its first start. Without --yes each signature is confirmed on the terminal.
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { chmodSync, existsSync, lstatSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline/promises'

/** Ends the program with a reason. */
function fail(reason) {
  console.error(reason)
  process.exit(2)
}

const USAGE = 'usage: node examples/signer.mjs SOCKET KEY.pem [--yes]'
const [socketPath, keyPath, flag, ...more] = process.argv.slice(2)
if (!keyPath) fail(USAGE)
if ((flag !== undefined && flag !== '--yes') || more.length > 0)
  fail(`${[flag, ...more].join(' ')}: not known; ${USAGE}`)
if (existsSync(socketPath) && !lstatSync(socketPath).isSocket()) fail(`${socketPath}: is there, and is no socket`)

/** Order of the curve. The chain takes the smaller of the two values of s that make a signature. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** Returns the key of the file, which is made if it is absent. */
function openKey() {
  try {
    if (!existsSync(keyPath)) {
      const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' })
      writeFileSync(keyPath, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, flag: 'wx' })
      console.log(`wrote a new key to ${keyPath}`)
    }
    if (!statSync(keyPath).isFile()) fail(`${keyPath}: must be a file`)
    const opened = createPrivateKey(readFileSync(keyPath))
    if (opened.asymmetricKeyDetails?.namedCurve === 'secp256k1') return opened
  } catch (error) {
    fail(`${keyPath}: ${error.message}`)
  }
  fail(`${keyPath}: must have a key of secp256k1`)
}

const key = openKey()
const { x, y } = createPublicKey(key).export({ format: 'jwk' })
const isOdd = Buffer.from(y, 'base64url').at(-1) & 1
const publicKey = Buffer.concat([Buffer.of(2 + isOdd), Buffer.from(x, 'base64url')]).toString('hex')

/** Returns r and s, 32 bytes each. */
function signatureOf(bytes) {
  const signature = sign('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' })
  const s = BigInt(`0x${signature.toString('hex', 32)}`)
  if (s > ORDER / 2n) signature.write((ORDER - s).toString(16).padStart(64, '0'), 32, 'hex')
  return signature.toString('base64')
}

/** Shows what is to be signed, and throws unless it is confirmed. Amino JSON is text; another mode is bytes. */
async function confirm(mode, bytes) {
  // JSON keeps characters that steer a terminal from reaching it.
  const shown = mode === 'SIGN_MODE_LEGACY_AMINO_JSON' ? JSON.stringify(bytes.toString()) : bytes.toString('hex')
  console.log(`${mode}: ${shown}`)
  if (flag === '--yes') return
  if (!process.stdin.isTTY) throw new Error('not confirmed: there is no terminal, and no --yes')
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const answer = await terminal.question('sign? [y/N] ')
  terminal.close()
  if (answer !== 'y') throw new Error('not confirmed')
}

const methods = {
  public_key({ algorithm }) {
    if (algorithm !== 'secp256k1') throw new Error(`this signer has a key of secp256k1, not of ${algorithm}`)
    return { algorithm, public_key: publicKey }
  },
  async sign({ public_key, sign_mode, sign_bytes }) {
    if (public_key !== publicKey) throw new Error(`this signer has no key ${public_key}`)
    const bytes = Buffer.from(sign_bytes, 'base64')
    await confirm(sign_mode, bytes)
    return { signature: signatureOf(bytes) }
  },
}

async function answerTo(line) {
  const { id, method, params } = JSON.parse(line)
  try {
    if (!Object.hasOwn(methods, method)) throw new Error(`no method ${method}`)
    return { id, result: await methods[method](params) }
  } catch ({ message }) {
    return { id, error: { message } }
  }
}

const server = createServer(async (socket) => {
  socket.on('error', () => socket.destroy())
  try {
    // One request comes on each connection.
    for await (const line of createInterface({ input: socket })) {
      socket.end(`${JSON.stringify(await answerTo(line))}\n`)
      break
    }
  } catch {
    socket.destroy()
  }
})
rmSync(socketPath, { force: true })
// The owner alone can ask: the file mode of the socket decides it.
process.umask(0o177)
server.on('error', (error) => fail(`${socketPath}: ${error.message}`))
server.listen(socketPath, () => {
  chmodSync(socketPath, 0o600)
  console.log(`public key ${publicKey}, at unix://${socketPath}`)
})
