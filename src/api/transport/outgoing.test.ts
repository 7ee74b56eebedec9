import { expect, test } from 'vitest'
import { createOutgoing, type Peer } from './outgoing.ts'

const LIMITS = { bytes: 100, stallMs: 5000 }

/** Creates a budget with a clock that the test moves, and connections whose counters it sets. */
function world() {
  let now = 0
  const gone: string[] = []
  const outgoing = createOutgoing({ ...LIMITS, onDisconnect: (address) => void gone.push(address) }, () => now)
  const connect = (unsent: number, address = 'a') => {
    const state = { unsent, taken: 0, isClosed: false }
    const peer: Peer = {
      address,
      unsent: () => state.unsent,
      taken: () => state.taken,
      close: () => {
        state.isClosed = true
      },
    }
    return Object.assign(state, { connection: peer, leave: outgoing.add(peer, peer) })
  }
  const wait = (ms: number) => {
    now += ms
    outgoing.check()
  }
  return { outgoing, gone, connect, wait }
}

test('clients within the budget stay, however many wait', () => {
  const { connect, wait, gone } = world()
  const clients = Array.from({ length: 10 }, () => connect(10))
  wait(50)
  expect([clients.some(({ isClosed }) => isClosed), gone.length]).toEqual([false, 0])
})

test('beyond the budget the clients with the most bytes for the longest time are disconnected first', () => {
  const { connect, wait } = world()
  const silent = connect(30)
  const large = connect(20)
  const small = connect(30)
  for (let i = 0; i < 30; i++) {
    wait(100)
    large.taken++
    small.taken++
  }
  large.unsent = 60
  wait(50)
  expect([silent, large, small].map(({ isClosed }) => isClosed)).toEqual([true, false, false])
  small.unsent = 50
  wait(50)
  expect([large.isClosed, small.isClosed]).toEqual([true, false])
})

test('a client that takes nothing for the time limit is disconnected, and one that takes a byte is not', () => {
  const { connect, wait } = world()
  const [silent, slow, idle] = [connect(1), connect(1), connect(0)]
  wait(4000)
  slow.taken++
  wait(4000)
  expect([silent.isClosed, slow.isClosed, idle.isClosed]).toEqual([true, false, false])
})

test('an unfinished request or answer is no stall, however long it takes, but counts for the budget', () => {
  const { connect, wait, outgoing, gone } = world()
  const [slow, other] = [connect(0), connect(0)]
  outgoing.hold(slow.connection, 60)
  outgoing.hold(other.connection, 30)
  for (let i = 0; i < 10; i++) wait(1000)
  expect([slow.isClosed, other.isClosed]).toEqual([false, false])
  outgoing.hold(other.connection, 30)
  wait(50)
  expect([slow.isClosed, other.isClosed]).toEqual([true, false])
  outgoing.hold(other.connection, -60)
  outgoing.hold(slow.connection, 1000)
  wait(50)
  expect([other.isClosed, gone]).toEqual([false, ['a']])
})

test('one address cannot use the budget of the others', () => {
  const { connect, wait } = world()
  const greedy = Array.from({ length: 9 }, () => connect(10, 'greedy'))
  const honest = connect(5, 'honest')
  wait(50)
  expect(greedy.filter(({ isClosed }) => isClosed)).toHaveLength(4)
  expect(honest.isClosed).toBe(false)
})

test('a client that has left no longer counts', () => {
  const { connect, wait } = world()
  const [gone, rest] = [connect(90), connect(90)]
  gone.leave()
  wait(50)
  expect(rest.isClosed).toBe(false)
})
