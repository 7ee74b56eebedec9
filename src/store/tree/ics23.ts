/**
 * ICS-23 commitment proofs as protobuf bytes (`cosmos.ics23.v1.CommitmentProof`): of keys in IAVL trees (`iavlSpec`) and
 * of stores in the multi-store (`tendermintSpec`).
 */
import { concat, EMPTY } from '../../primitives/bytes.ts'
import { createOutput, finish, putBytes, putVarint } from '../varint.ts'
import type { LeafPath, PathStep } from './leaf-paths.ts'
import { type Aunt, INNER_PREFIX, LEAF_PREFIX } from './multi-store.ts'

/** `HashOp.SHA256`. */
const SHA256 = 1
/** `LengthOp.VAR_PROTO`. */
const VAR_PROTO = 1
/** What stands before a hash inside a node: its length. */
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

/** `LeafOp{hash, prehash_value, length, prefix}`: the key goes into the leaf as it is, the value by its hash. */
function leafOp(prefix: Uint8Array): Uint8Array {
  return concat(enumField(1, SHA256), enumField(3, SHA256), enumField(4, VAR_PROTO), bytesField(5, prefix))
}

/** `InnerOp{hash, prefix, suffix}`. */
function innerOp(prefix: Uint8Array, suffix: Uint8Array): Uint8Array {
  return concat(enumField(1, SHA256), bytesField(2, prefix), optional(3, suffix))
}

/** `ExistenceProof{key, value, leaf, path}`. */
function existence(key: Uint8Array, value: Uint8Array, leaf: Uint8Array, path: readonly Uint8Array[]): Uint8Array {
  const steps = path.map((step) => bytesField(4, step))
  return concat(optional(1, key), optional(2, value), bytesField(3, leaf), ...steps)
}

/** Numbers as nodes hash them: signed varints, which doubles what is not negative. */
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

/** A leaf of a tree with the value that it has. */
export interface ProvenLeaf {
  readonly path: LeafPath
  readonly value: Uint8Array
}

function treeExistence({ path, value }: ProvenLeaf): Uint8Array {
  return existence(path.key, value, leafOp(signedVarints(0, 1, path.version)), path.steps.map(treeStep))
}

/** That a key has a value in its store's tree. */
export function proofOfPresence(leaf: ProvenLeaf): Uint8Array {
  return bytesField(1, treeExistence(leaf))
}

/**
 * That a key is not in its store's tree: the leaves between which it would be, one of them absent at an end. In an empty
 * tree both are, which no verifier takes: that a store is empty shows in the proof of its root, the hash of nothing.
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

/** That a store has a root in the app hash. */
export function proofOfStore(name: Uint8Array, rootHash: Uint8Array, aunts: readonly Aunt[]): Uint8Array {
  const path = aunts.map((aunt) =>
    'left' in aunt ? innerOp(concat(INNER_PREFIX, aunt.left), EMPTY) : innerOp(INNER_PREFIX, aunt.right),
  )
  return bytesField(1, existence(name, rootHash, leafOp(LEAF_PREFIX), path))
}
