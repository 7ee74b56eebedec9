import { expect, test } from 'vitest'
import type { GatewayNode } from '../../gateway.ts'
import type { LogFilter } from '../params.ts'
import { MAX_CRITERIA, MAX_CRITERIA_OF_ADDRESS } from './criteria.ts'
import type { EventQueue } from './event-queue.ts'
import { createSubscriptions, subscriptionPlaces } from './subscriptions.ts'

const node = { driver: { onBlock: () => () => {} } } as unknown as GatewayNode
const queue = { add() {}, close() {} } as unknown as EventQueue

/** A filter of addresses and topics, as many of both as a request can have. */
const HEAVY = {
  addresses: Array(1000).fill(new Uint8Array(20)),
  topics: Array(4).fill(Array(1000).fill(new Uint8Array(32))),
} as unknown as LogFilter
const OF_ADDRESS = Math.floor(MAX_CRITERIA_OF_ADDRESS / 5000)
const ADDRESSES = Math.floor(MAX_CRITERIA / 5000 / OF_ADDRESS)

test('the addresses and topics in subscriptions are limited for an address and for the node, until they end', () => {
  const places = subscriptionPlaces()
  const connect = (client: string) => createSubscriptions(node, { places, client }, queue)
  const fill = (client: string) => {
    const connection = connect(client)
    for (let i = 0; i < OF_ADDRESS; i++) connection.subscribe('logs', { filter: HEAVY })
    return connection
  }
  const first = fill('0')
  const again = connect('0')
  expect(() => again.subscribe('logs', { filter: HEAVY })).toThrow(
    'too many addresses, topics and hashes in subscriptions, at most 65536 of one address',
  )
  expect(() => again.subscribe('newHeads', {})).not.toThrow()
  for (let i = 1; i < ADDRESSES; i++) fill(String(i))
  const late = connect('late')
  expect(() => late.subscribe('logs', { filter: HEAVY })).toThrow(
    'too many addresses, topics and hashes in subscriptions, at most 262144 on this node',
  )
  first.close()
  expect(() => late.subscribe('logs', { filter: HEAVY })).not.toThrow()
})
