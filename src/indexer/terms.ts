/**
 * Terms: the searchable properties of a block, hashed to 53-bit numbers. Two properties can have the same number. A lookup compares
 * its results with the block itself, so a collision costs time but never a wrong answer.
 */
import type { StoredBlock } from '../app/records.ts'

/** Terms of a block, each with the index of its transaction. Terms of logs have index 0, since logs are indexed by block. */
export interface BlockTerms {
  readonly terms: number[]
  readonly ordinals: number[]
}

const EVENT = 1
const LOG_ADDRESS = 2
/** The kind of topic 0. The position, 0 to 3, is added. */
const LOG_TOPIC = 3

/** Mixes the two 32-bit halves of a hash and returns 53 bits of them as the term. */
function finish(first: number, second: number): number {
  let a = Math.imul(first ^ (first >>> 16), 2246822507) ^ Math.imul(second ^ (second >>> 13), 3266489909)
  let b = Math.imul(second ^ (second >>> 16), 2246822507) ^ Math.imul(first ^ (first >>> 13), 3266489909)
  a >>>= 0
  b >>>= 0
  return (b & 0x1fffff) * 0x1_0000_0000 + a
}

/** Returns the term of an event attribute, such as `transfer`, `recipient` and the value. */
export function eventTerm(type: string, key: string, value: string): number {
  let a = 0xdeadbeef ^ EVENT
  let b = 0x41c6ce57 ^ EVENT
  for (let i = 0; i < type.length; i++) {
    const unit = type.charCodeAt(i)
    a = Math.imul(a ^ unit, 2654435761)
    b = Math.imul(b ^ unit, 1597334677)
  }
  a = Math.imul(a ^ 46, 2654435761)
  b = Math.imul(b ^ 46, 1597334677)
  for (let i = 0; i < key.length; i++) {
    const unit = key.charCodeAt(i)
    a = Math.imul(a ^ unit, 2654435761)
    b = Math.imul(b ^ unit, 1597334677)
  }
  a = Math.imul(a ^ 0x10000, 2654435761)
  b = Math.imul(b ^ 0x10000, 1597334677)
  for (let i = 0; i < value.length; i++) {
    const unit = value.charCodeAt(i)
    a = Math.imul(a ^ unit, 2654435761)
    b = Math.imul(b ^ unit, 1597334677)
  }
  return finish(a, b)
}

function bytesTerm(kind: number, bytes: Uint8Array): number {
  let a = 0xdeadbeef ^ kind
  let b = 0x41c6ce57 ^ kind
  for (let i = 0; i < bytes.length; i++) {
    a = Math.imul(a ^ bytes[i]!, 2654435761)
    b = Math.imul(b ^ bytes[i]!, 1597334677)
  }
  return finish(a, b)
}

/** Returns the term of a log's address. */
export function logAddressTerm(address: Uint8Array): number {
  return bytesTerm(LOG_ADDRESS, address)
}

/** Returns the term of a log's topic at a position, 0 to 3. */
export function logTopicTerm(position: number, topic: Uint8Array): number {
  return bytesTerm(LOG_TOPIC + position, topic)
}

/** Returns all terms of a block in the order of transactions, each once per transaction (once per block for logs). */
export function termsOf(block: Pick<StoredBlock, 'results' | 'evmTxs'>): BlockTerms {
  const terms: number[] = []
  const ordinals: number[] = []
  const lastOrdinal = new Map<number, number>()
  const add = (term: number, ordinal: number) => {
    if (lastOrdinal.get(term) === ordinal) return
    lastOrdinal.set(term, ordinal)
    terms.push(term)
    ordinals.push(ordinal)
  }
  for (const { logs } of block.evmTxs) {
    for (const { address, topics } of logs) {
      add(logAddressTerm(address), 0)
      for (let i = 0; i < topics.length; i++) add(logTopicTerm(i, topics[i]!), 0)
    }
  }
  block.results.forEach((result, index) => {
    for (const { type, attributes } of result.events) {
      for (const { key, value } of attributes) add(eventTerm(type, key, value), index)
    }
  })
  return { terms, ordinals }
}
