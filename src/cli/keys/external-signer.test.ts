import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { formatBase64, formatHex, parseBase64, utf8 } from '../../primitives/bytes.ts'
import { publicKeyOf, signBytesWith } from '../../sdk/crypto.ts'
import { publicKeyOfSigner, signExternally } from './external-signer.ts'
import { addressOfKey, type KeyRecord } from './record.ts'

const KEY = new Uint8Array(32).fill(7)
const publicKey = publicKeyOf(KEY)
let folder: string
let server: Server | undefined
const url = () => `unix://${join(folder, 'signer.sock')}`
const record = (): KeyRecord => ({
  place: 'external',
  name: 'cold',
  algorithm: 'secp256k1',
  publicKey,
  address: addressOfKey('secp256k1', publicKey),
  signer: url(),
})

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'almanac-signer-'))
})
afterEach(async () => {
  await new Promise((closed) => (server ? server.close(closed) : closed(undefined)))
  server = undefined
  rmSync(folder, { recursive: true })
})

interface Request {
  readonly method: string
  readonly params: Readonly<Record<string, string>>
}

/** Serves answers on the socket. */
async function serve(answer: (request: Request) => string): Promise<void> {
  server = createServer((socket) => {
    socket.on('data', (data) => socket.end(answer(JSON.parse(String(data)) as Request)))
  })
  await new Promise<void>((listening) => server!.listen(join(folder, 'signer.sock'), listening))
}

test('a signer gives its key and signs, and its signature is verified', async () => {
  await serve(({ method, params }) => {
    const bytes = parseBase64(params['sign_bytes'] ?? '') ?? new Uint8Array()
    const signature = formatBase64(signBytesWith('secp256k1', bytes, KEY))
    const result = method === 'sign' ? { signature } : { public_key: formatHex(publicKey) }
    return `${JSON.stringify({ id: 1, result })}\n`
  })
  expect(await publicKeyOfSigner(url(), 'secp256k1', "m/44'/118'/0'/0/0")).toEqual({
    algorithm: 'secp256k1',
    publicKey,
  })
  const signature = await signExternally(record(), 'SIGN_MODE_DIRECT', utf8('pay'))
  expect(signature).toEqual(signBytesWith('secp256k1', utf8('pay'), KEY))
})

test.each([
  ['{"id":1,"error":{"message":"not confirmed on the device"}}\n', 'the signer refused: not confirmed on the device'],
  ['hello\n', 'answered a line that is not JSON'],
  ['null\n', 'answered no result'],
  ['', 'ended without an answer'],
  [`{"result":{"signature":"${formatBase64(new Uint8Array(64))}"}}\n`, 'a signature that is not of the key cold'],
])('the answer %j is refused', async (answer, reason) => {
  await serve(() => answer)
  await expect(signExternally(record(), 'SIGN_MODE_DIRECT', utf8('pay'))).rejects.toThrow(reason)
})

test('a signer that is not there, and another kind of URL, are errors that say so', async () => {
  await expect(publicKeyOfSigner(url(), 'secp256k1', '')).rejects.toThrow('does not answer (ENOENT)')
  await expect(publicKeyOfSigner('http://x', 'secp256k1', '')).rejects.toThrow('must be the path of a socket')
})
