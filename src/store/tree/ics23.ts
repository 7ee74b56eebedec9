/**
 * ICS-23 commitment proofs as protobuf bytes (`cosmos.ics23.v1.CommitmentProof`), for keys in IAVL trees (`iavlSpec`) and
 * for stores in the multi-store (`tendermintSpec`).
 */
import { concat, EMPTY } from '../../primitives/bytes.ts'
import { createOutput, finish, putBytes, putVarint } from '../../primitives/varint.ts'
import type { LeafPath, PathStep } from './leaf-paths.ts'
import { type Aunt, INNER_PREFIX, LEAF_PREFIX } from './multi-store.ts'

/** `HashOp.SHA256`. */
const SHA256 = 1
/** `LengthOp.VAR_PROTO`. */
const VAR_PROTO = 1
/** The length prefix of a hash inside a node. */
const HASH_LENGTH = Uint8Array.of(32)

const VARINT_FIELD = 0
const BYTES_FIELD = 2

function bytesField(number: number, bytes: Uint8Array): Uint8Array {
  const out = createOutput(bytes.length + 8)
  putVarint(out, number * 8 + BYTES_FIELD)
  putVarint(out, bytes.length)
  putBytes(out, bytes)
  return finish(out)
}

const enumField = (number: number, value: number) => Uint8Array.of(number * 8 + VARINT_FIELD, value)
const optional = (number: number, bytes: Uint8Array) => (bytes.length === 0 ? EMPTY : bytesField(number, bytes))

/** Encodes `LeafOp{hash, prehash_value, length, prefix}`: the leaf contains the key itself and the hash of the value. */
function leafOp(prefix: Uint8Array): Uint8Array {
  return concat(enumField(1, SHA256), enumField(3, SHA256), enumField(4, VAR_PROTO), bytesField(5, prefix))
}

/** Encodes `InnerOp{hash, prefix, suffix}`. */
function innerOp(prefix: Uint8Array, suffix: Uint8Array): Uint8Array {
  return concat(enumField(1, SHA256), bytesField(2, prefix), optional(3, suffix))
}

/** Encodes `ExistenceProof{key, value, leaf, path}`. */
function existence(key: Uint8Array, value: Uint8Array, leaf: Uint8Array, path: readonly Uint8Array[]): Uint8Array {
  const steps = path.map((step) => bytesField(4, step))
  return concat(optional(1, key), optional(2, value), bytesField(3, leaf), ...steps)
}

/** Encodes non-negative numbers as nodes hash them: as signed (zigzag) varints, which doubles them. */
function signedVarints(...values: readonly number[]): Uint8Array {
  const out = createOutput(32)
  for (const value of values) putVarint(out, value * 2)
  return finish(out)
}

function treeStep({ height, size, version, left, right }: PathStep): Uint8Array {
  const head = signedVarints(height, size, version)
  return left
    ? innerOp(concat(head, HASH_LENGTH, left, HASH_LENGTH), EMPTY)
    : innerOp(concat(head, HASH_LENGTH), concat(HASH_LENGTH, right!))
}

/** A leaf of a tree with its value. */
export interface ProvenLeaf {
  readonly path: LeafPath
  readonly value: Uint8Array
}

function treeExistence({ path, value }: ProvenLeaf): Uint8Array {
  return existence(path.key, value, leafOp(signedVarints(0, 1, path.version)), path.steps.map(treeStep))
}

/** Proves that a key has a value in its store's tree. */
export function proofOfPresence(leaf: ProvenLeaf): Uint8Array {
  return bytesField(1, treeExistence(leaf))
}

/**
 * Proves that a key is not in its store's tree, by the two leaves around it; one is absent at an end of the tree. In an empty
 * tree both are absent, and no verifier accepts that: an empty store is proved by the proof of its root, the hash of no bytes.
 */
export function proofOfAbsence(
  key: Uint8Array,
  left: ProvenLeaf | undefined,
  right: ProvenLeaf | undefined,
): Uint8Array {
  const nonexistence = concat(
    bytesField(1, key),
    left ? bytesField(2, treeExistence(left)) : EMPTY,
    right ? bytesField(3, treeExistence(right)) : EMPTY,
  )
  return bytesField(2, nonexistence)
}

/** Proves that a store has a root hash in the app hash. */
export function proofOfStore(name: Uint8Array, rootHash: Uint8Array, aunts: readonly Aunt[]): Uint8Array {
  const path = aunts.map((aunt) =>
    'left' in aunt ? innerOp(concat(INNER_PREFIX, aunt.left), EMPTY) : innerOp(INNER_PREFIX, aunt.right),
  )
  return bytesField(1, existence(name, rootHash, leafOp(LEAF_PREFIX), path))
}
