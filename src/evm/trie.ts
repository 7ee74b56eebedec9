/** Roots of Ethereum's Merkle-Patricia trie, computed from its contents: state roots, transaction and receipt roots. */
import { compare, EMPTY } from '../primitives/bytes.ts'
import { keccak256 } from '../primitives/hash.ts'
import { encode, fromUint, type RlpItem } from '../primitives/rlp.ts'

/** The root of an empty trie. */
export const EMPTY_TRIE_ROOT: Uint8Array = keccak256(encode(EMPTY))

interface Entry {
  readonly key: Uint8Array
  readonly value: Uint8Array
}

/** Returns the root of the trie of these keys and values, in any order. Keys must be distinct and values not empty. */
export function trieRoot(entries: Iterable<readonly [key: Uint8Array, value: Uint8Array]>): Uint8Array {
  const sorted: Entry[] = []
  for (const [key, value] of entries) sorted.push({ key, value })
  if (sorted.length === 0) return EMPTY_TRIE_ROOT
  sorted.sort((a, b) => compare(a.key, b.key))
  return keccak256(encode(node(sorted, 0, sorted.length, 0)))
}

/** Returns the root of the trie whose keys are the Keccak-256 of the given keys: accounts and their storage. */
export function secureTrieRoot(entries: Iterable<readonly [key: Uint8Array, value: Uint8Array]>): Uint8Array {
  const hashed: [Uint8Array, Uint8Array][] = []
  for (const [key, value] of entries) hashed.push([keccak256(key), value])
  return trieRoot(hashed)
}

/** Returns the root of the trie of a list, keyed by the RLP of the index: transactions and receipts of a block. */
export function listTrieRoot(values: readonly Uint8Array[]): Uint8Array {
  return trieRoot(values.map((value, index) => [encode(fromUint(BigInt(index))), value]))
}

const nibbleAt = (key: Uint8Array, depth: number): number =>
  depth % 2 === 0 ? key[depth >> 1]! >> 4 : key[depth >> 1]! & 15

/** Returns nibbles `from` to `to` of a key with the flags for leaf and odd length ("hex prefix"). */
export function compactPath(key: Uint8Array, from: number, to: number, isLeaf: boolean): Uint8Array {
  const odd = (to - from) % 2
  const out = new Uint8Array(1 + (to - from - odd) / 2)
  out[0] = (isLeaf ? 0x20 : 0) | (odd ? 0x10 | nibbleAt(key, from) : 0)
  for (let i = 1, at = from + odd; at < to; i++, at += 2) out[i] = (nibbleAt(key, at) << 4) | nibbleAt(key, at + 1)
  return out
}

/** Returns the node of entries `start` to `end`, which share their first `depth` nibbles. Bounded by: the nibbles of a key. */
function node(entries: readonly Entry[], start: number, end: number, depth: number): RlpItem {
  const first = entries[start]!
  const length = first.key.length * 2
  if (end - start === 1) return [compactPath(first.key, depth, length, true), first.value]
  const last = entries[end - 1]!
  let fork = depth
  while (fork < length && nibbleAt(first.key, fork) === nibbleAt(last.key, fork)) fork++
  if (fork > depth) {
    return [compactPath(first.key, depth, fork, false), reference(node(entries, start, end, fork))]
  }
  const branch: RlpItem[] = new Array(17).fill(EMPTY)
  let at = start
  if (length === depth) branch[16] = entries[at++]!.value
  while (at < end) {
    const nibble = nibbleAt(entries[at]!.key, depth)
    let next = at + 1
    while (next < end && nibbleAt(entries[next]!.key, depth) === nibble) next++
    branch[nibble] = reference(node(entries, at, next, depth + 1))
    at = next
  }
  return branch
}

/** Returns a parent's reference to a node: the node itself if it is shorter than 32 bytes, else its hash. */
function reference(child: RlpItem): RlpItem {
  const encoded = encode(child)
  return encoded.length < 32 ? child : keccak256(encoded)
}
