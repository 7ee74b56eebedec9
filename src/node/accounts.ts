/** The funded accounts of a development chain: keys from a mnemonic at the two paths that wallets use. */
import { createHmac, pbkdf2Sync } from 'node:crypto'
import { SECP256K1_ORDER, secp256k1 } from '../evm/transaction/secp256k1.ts'
import type { Identity } from '../identity/types.ts'
import { formatBech32, formatEip55, ofEthSecp256k1, ofSecp256k1 } from '../primitives/address.ts'
import { decodeUint, encodeUint, formatHex0x, utf8 } from '../primitives/bytes.ts'

export interface DevAccount {
  /** EIP-55 text of the 20 bytes. */
  readonly address: `0x${string}`
  readonly bech32: string
  /** `0x` and 64 digits. */
  readonly privateKey: `0x${string}`
  readonly path: string
  /** `eth`: address and signatures as in Ethereum; `cosmos`: as those of the SDK's secp256k1 keys. */
  readonly kind: 'eth' | 'cosmos'
  readonly addressBytes: Uint8Array
  readonly privateKeyBytes: Uint8Array
}

interface Node {
  readonly key: Uint8Array
  readonly chainCode: Uint8Array
}

/** Returns the BIP-39 seed of a mnemonic without passphrase, 64 bytes. */
export function seedOf(mnemonic: string): Uint8Array {
  return new Uint8Array(pbkdf2Sync(mnemonic.normalize('NFKD'), 'mnemonic', 2048, 64, 'sha512'))
}

function splitNode(digest: Buffer): Node {
  return { key: new Uint8Array(digest.subarray(0, 32)), chainCode: new Uint8Array(digest.subarray(32)) }
}

/** Derives a BIP-32 child. An `index` of 2^31 or more is hardened. */
function child({ key, chainCode }: Node, index: number): Node {
  const data = Buffer.alloc(37)
  if (index >= 0x8000_0000) data.set(key, 1)
  else data.set(secp256k1.compressedKey(key), 0)
  data.writeUInt32BE(index, 33)
  const { key: tweak, chainCode: next } = splitNode(createHmac('sha512', chainCode).update(data).digest())
  return { key: encodeUint((decodeUint(key) + decodeUint(tweak)) % SECP256K1_ORDER, 32), chainCode: next }
}

/** Derives the keys at `prefix/0`, `prefix/1`, … of a seed; a `'` marks a hardened step. */
function deriveKeys(seed: Uint8Array, prefix: string, count: number): Uint8Array[] {
  let node = splitNode(createHmac('sha512', utf8('Bitcoin seed')).update(seed).digest())
  for (const step of prefix.split('/').slice(1)) {
    node = child(node, Number.parseInt(step, 10) + (step.endsWith("'") ? 0x8000_0000 : 0))
  }
  return Array.from({ length: count }, (_, n) => child(node, n).key)
}

/** The derivation path of Ethereum's accounts, without the number of the account. */
const ETH_PATH = "m/44'/60'/0'/0"

/** Derives accounts 0 to count-1 at `ethPath`/n, by default m/44'/60'/0'/0/n, then those at m/44'/118'/0'/0/n. */
export function deriveAccounts(
  mnemonic: string,
  count: number,
  { bech32 }: Pick<Identity, 'bech32'>,
  ethPath: string = ETH_PATH,
): readonly DevAccount[] {
  const seed = seedOf(mnemonic)
  const accounts: DevAccount[] = []
  for (const { prefix, kind } of [
    { prefix: ethPath, kind: 'eth' },
    { prefix: "m/44'/118'/0'/0", kind: 'cosmos' },
  ] as const) {
    deriveKeys(seed, prefix, count).forEach((key, n) => {
      const addressBytes =
        kind === 'eth' ? ofEthSecp256k1(secp256k1.publicKey(key)) : ofSecp256k1(secp256k1.compressedKey(key))
      accounts.push({
        address: formatEip55(addressBytes) as `0x${string}`,
        bech32: formatBech32(bech32.account, addressBytes),
        privateKey: formatHex0x(key) as `0x${string}`,
        path: `${prefix}/${n}`,
        kind,
        addressBytes,
        privateKeyBytes: key,
      })
    })
  }
  return accounts
}

/**
 * Derives the keys that vote on prices, one per validator, at m/44'/118'/1'/0/n: votes do not change the nonces of funded
 * accounts.
 */
export function deriveFeederKeys(mnemonic: string, count: number): readonly Uint8Array[] {
  return deriveKeys(seedOf(mnemonic), "m/44'/118'/1'/0", count)
}
