import { expect, test } from 'vitest'
import { createOutgoing, type Peer } from './outgoing.ts'

/** The address `leaving` is one whose next connection another process serves. */
const LIMITS = { bytes: 100, stallMs: (address: string) => (address === 'leaving' ? 1000 : 5000) }

/** Creates a budget with a clock that the test moves, and connections whose counters it sets. */
function world() {
  let now = 0
  const gone: string[] = []
  const waited: [address: string, bytes: number, ms: number][] = []
  const limits = {
    ...LIMITS,
    onWaiting: (...what: [address: string, bytes: number, ms: number]) => void waited.push(what),
    onDisconnect: (address: string) => void gone.push(address),
  }
  const outgoing = createOutgoing(limits, () => now)
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
  return { outgoing, gone, waited, connect, wait }
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

test('each look reports the bytes that wait for an address, and the time since the last one, at most a second', () => {
  const { connect, wait, waited } = world()
  connect(10)
  connect(5)
  connect(1, 'b')
  wait(300)
  wait(200)
  wait(4000)
  expect(waited).toEqual([
    ['a', 15, 1000],
    ['b', 1, 1000],
    ['a', 15, 200],
    ['b', 1, 200],
    ['a', 15, 1000],
    ['b', 1, 1000],
  ])
})

test('the time limit is that of the address', () => {
  const { connect, wait } = world()
  const [usual, leaving] = [connect(1), connect(1, 'leaving')]
  wait(500)
  wait(1000)
  expect([usual, leaving].map(({ isClosed }) => isClosed)).toEqual([false, true])
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
