/**
 * Keys in another program, such as one that speaks to a hardware wallet: one line of JSON a request over a local socket
 * (docs/keys.md#another-program-that-signs).
 */
import { connect } from 'node:net'
import { formatBase64, formatHex, parseBase64, parseHex } from '../../primitives/bytes.ts'
import { type ChainError, queryError } from '../../primitives/errors.ts'
import { verifySignature } from '../../sdk/public-key.ts'
import { type Algorithm, type KeyRecord, parseAlgorithm, publicKeyOfRecord } from './record.ts'

/** Time for a person to look at a device and confirm. Unit: milliseconds. */
const ANSWER_TIMEOUT_MS = 120_000
const MAX_ANSWER_CHARACTERS = 65_536
const SCHEME = 'unix://'

/** Returns the path of a signer's socket. Throws `invalidArgument` for another URL. */
function socketOf(url: string): string {
  const path = url.startsWith(SCHEME) ? url.slice(SCHEME.length) : ''
  if (path === '')
    throw queryError(
      'invalidArgument',
      `--signer ${url}: must be the path of a socket, such as unix:///run/signer.sock`,
    )
  return path
}

/** Sends one request. Throws the signer's own message if it refuses, `unavailable` if none answers. */
function ask(url: string, method: string, params: object): Promise<Readonly<Record<string, unknown>>> {
  const path = socketOf(url)
  return new Promise((resolve, reject) => {
    const socket = connect(path)
    let text = ''
    const end = (act: () => void) => {
      clearTimeout(timer)
      socket.destroy()
      act()
    }
    const fail = (reason: string) =>
      end(() => reject(queryError('unavailable', `the signer at ${url} ${reason}: check that it runs, and its path`)))
    // For the whole answer: one that comes byte by byte has no longer.
    const timer = setTimeout(() => fail(`did not answer within ${ANSWER_TIMEOUT_MS / 1000} s`), ANSWER_TIMEOUT_MS)
    socket.on('connect', () => socket.write(`${JSON.stringify({ id: 1, method, params })}\n`))
    socket.on('error', (error: NodeJS.ErrnoException) => fail(`does not answer (${error.code})`))
    socket.on('end', () => fail('ended without an answer'))
    socket.on('data', (data) => {
      text += data.toString('utf8')
      const newline = text.indexOf('\n')
      if (newline < 0 && text.length <= MAX_ANSWER_CHARACTERS) return
      end(() => {
        try {
          resolve(resultOf(url, text.slice(0, newline)))
        } catch (error) {
          reject(error)
        }
      })
    })
  })
}

function resultOf(url: string, line: string): Readonly<Record<string, unknown>> {
  let answer: { readonly result?: unknown; readonly error?: { readonly message?: unknown } } | null
  try {
    answer = JSON.parse(line) as typeof answer
  } catch {
    throw malformed(url, 'a line that is not JSON')
  }
  if (answer?.error !== undefined)
    throw queryError('permissionDenied', `the signer refused: ${String(answer.error?.message ?? 'no reason given')}`)
  if (typeof answer?.result !== 'object' || answer.result === null) throw malformed(url, 'no result')
  return answer.result as Readonly<Record<string, unknown>>
}

const malformed = (url: string, what: string): ChainError =>
  queryError('unknown', `the signer at ${url} answered ${what}`)

/** Returns the key of a signer. `path` is the derivation path that it shall use, if it derives keys. */
export async function publicKeyOfSigner(
  url: string,
  algorithm: Algorithm,
  path: string,
): Promise<{ readonly algorithm: Algorithm; readonly publicKey: Uint8Array }> {
  const result = await ask(url, 'public_key', { algorithm, path })
  const publicKey = parseHex(String(result['public_key']))
  if (publicKey?.length !== 33) throw malformed(url, 'a public_key that is not 33 bytes in hexadecimal')
  return { algorithm: parseAlgorithm(String(result['algorithm'] ?? algorithm)), publicKey }
}

/**
 * Returns a signature of sign bytes by a key of a signer, 64 bytes. The signer hashes: SHA-256 for secp256k1, Keccak-256 for
 * eth_secp256k1. Throws `unknown` for a signature that is not of the key.
 */
export async function signExternally(record: KeyRecord, signMode: string, signBytes: Uint8Array): Promise<Uint8Array> {
  const url = record.signer ?? ''
  const result = await ask(url, 'sign', {
    algorithm: record.algorithm,
    public_key: formatHex(record.publicKey),
    sign_mode: signMode,
    sign_bytes: formatBase64(signBytes),
  })
  const signature = parseBase64(String(result['signature']))
  const key = publicKeyOfRecord(record)
  if (!signature || key.kind === 'multisig' || !verifySignature(key, signBytes, signature))
    throw malformed(url, `a signature that is not of the key ${record.name}`)
  return signature.slice(0, 64)
}
