/**
 * Terms: what a block can be searched by, as 53-bit numbers. Two texts may share a number; whoever looks up a term
 * compares what he finds with the block itself, so a collision costs time and never a wrong answer.
 */
import type { StoredBlock } from '../app/records.ts'

/** One term of a block and the index of the transaction that has it; logs belong to the block alone, index 0. */
export interface BlockTerms {
  readonly terms: number[]
  readonly ordinals: number[]
}

const EVENT = 1
const LOG_ADDRESS = 2
/** Topic position 0 to 3 is added. */
const LOG_TOPIC = 3

/** Two 32-bit halves mixed over the units of a text or the bytes of an address; 53 bits of them are the term. */
function finish(first: number, second: number): number {
  let a = Math.imul(first ^ (first >>> 16), 2246822507) ^ Math.imul(second ^ (second >>> 13), 3266489909)
  let b = Math.imul(second ^ (second >>> 16), 2246822507) ^ Math.imul(first ^ (first >>> 13), 3266489909)
  a >>>= 0
  b >>>= 0
  return (b & 0x1fffff) * 0x1_0000_0000 + a
}

/** Term of an event attribute: `transfer`, `recipient`, and the value. */
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

/** Term of a log by the contract that wrote it. */
export function logAddressTerm(address: Uint8Array): number {
  return bytesTerm(LOG_ADDRESS, address)
}

/** Term of a log by its topic at a position, 0 to 3. */
export function logTopicTerm(position: number, topic: Uint8Array): number {
  return bytesTerm(LOG_TOPIC + position, topic)
}

/** All terms of a block in ascending order of transactions, each once a transaction (once a block for logs). */
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
