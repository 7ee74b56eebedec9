import { setImmediate, setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTurns, type Share } from './turns.ts'

/** Creates turns with a clock that only requests move, each by its own time, and another client that has just asked little. */
async function world({ isAlone = false } = {}) {
  let now = 0
  const turns = createTurns(() => now)
  const order: string[] = []
  const ask = (share: Share, name: string, ms = 10): void =>
    turns.run(share, () => {
      order.push(name)
      now += ms
    })
  const pass = (ms: number): void => {
    now += ms
  }
  if (!isAlone) turns.run(turns.share('9.9.9.9'), () => {})
  await setImmediate()
  return { turns, order, ask, pass }
}

test('a client with one request waits for one request of each other address, not for all of them', async () => {
  const { turns, order, ask } = await world()
  const [greedy, other, honest] = ['1.1.1.1', '2.2.2.2', '3.3.3.3'].map((address) => turns.share(address))
  for (let i = 0; i < 50; i++) ask(greedy!, `greedy ${i}`, 1)
  for (let i = 0; i < 50; i++) ask(other!, `other ${i}`, 1)
  ask(honest!, 'honest', 1)
  // The first three milliseconds are free for all.
  expect(order).toEqual(['greedy 0', 'greedy 1', 'greedy 2'])
  for (let i = 0; i < 100; i++) await setImmediate()
  expect(order.slice(3, 6)).toEqual(['greedy 3', 'other 0', 'honest'])
  expect(order).toHaveLength(101)
})

test('of one address, a connection that asks little comes before those that ask much', async () => {
  const { turns, order, ask } = await world()
  const [modest, ...greedy] = Array.from({ length: 9 }, () => turns.share('1.1.1.1'))
  for (let i = 0; i < 10; i++) for (const share of greedy) ask(share, 'greedy', 30)
  while (order.length < 20) await setImmediate()
  ask(modest!, 'modest')
  const before = order.length
  while (!order.includes('modest')) await setImmediate()
  expect(order.length - before).toBeLessThanOrEqual(2)
})

test('what has used most of the thread gets every fourth run', async () => {
  const { turns, order, ask } = await world()
  const [light, heavy] = [turns.share('1.1.1.1'), turns.share('2.2.2.2', 1000)]
  ask(light, 'first', 3)
  for (let i = 0; i < 20; i++) ask(light, 'light', 1)
  for (let i = 0; i < 4; i++) ask(heavy, 'heavy', 1)
  for (let i = 0; i < 60; i++) await setImmediate()
  expect(order.slice(1, 13).filter((name) => name === 'heavy')).toHaveLength(3)
})

test('an address that asks much leaves time to others that ask little, which are served at once meanwhile', async () => {
  const { turns, order, ask } = await world()
  const [greedy, modest] = [turns.share('1.1.1.1'), turns.share('2.2.2.2')]
  ask(greedy, 'greedy', 800)
  await setImmediate()
  ask(modest, 'modest', 1)
  for (let i = 0; i < 3; i++) ask(greedy, 'greedy', 50)
  // The first of them is in the slice of the modest request, the second has a slice of its own.
  while (order.length < 4) await setImmediate()
  for (let i = 0; i < 5; i++) await setImmediate()
  expect(order).toEqual(['greedy', 'modest', 'greedy', 'greedy'])
  ask(modest, 'modest', 1)
  expect(order).toHaveLength(5)
  while (order.length < 6) await setTimeout(10)
})

test('requests of an address that is alone run together for longer', async () => {
  const { turns, order, ask } = await world({ isAlone: true })
  const shares = Array.from({ length: 30 }, () => turns.share('1.1.1.1', 30))
  for (const share of shares) ask(share, 'alone', 1)
  expect(order).toHaveLength(20)
  while (order.length < 30) await setImmediate()
})

test('used time is forgotten by halves', async () => {
  const { turns, pass } = await world()
  const share = turns.share('1.1.1.1', 400)
  pass(2000)
  turns.run(share, () => {})
  expect(share.usedMs).toBe(100)
})

test('requests run at once while a slice lasts and nobody waits', async () => {
  const { turns, pass } = await world()
  const honest = turns.share('1.1.1.1')
  expect(turns.take(honest)).toBeUndefined()
  pass(2)
  expect(turns.take(honest)).toBeUndefined()
  pass(1)
  const late = turns.take(honest)
  expect(late).toBeInstanceOf(Promise)
  expect(turns.take(honest)).toBeInstanceOf(Promise)
  await late
  for (let i = 0; i < 3; i++) await setImmediate()
  expect(turns.take(honest)).toBeUndefined()
})

test('an address is greedy only while another one asks, and until what it used is forgotten', async () => {
  const { turns, order, ask, pass } = await world({ isAlone: true })
  const share = turns.share('1.1.1.1')
  for (let i = 0; i < 40; i++) ask(share, 'greedy', 10)
  while (order.length < 40) await setImmediate()
  expect(turns.greedy(300)).toEqual([])
  await setImmediate()
  ask(turns.share('2.2.2.2'), 'other', 1)
  expect(turns.greedy(300)).toEqual(['1.1.1.1'])
  // Half of 400 ms is left after a second.
  pass(1000)
  expect(turns.greedy(300)).toEqual([])
  turns.charge('1.1.1.1', 150)
  expect(turns.greedy(300)).toEqual(['1.1.1.1'])
  // The other one has left.
  pass(6000)
  turns.charge('1.1.1.1', 1000)
  expect(turns.greedy(300)).toEqual([])
})

test('a run that nobody can interrupt counts three times', async () => {
  const { turns, ask } = await world()
  ask(turns.share('1.1.1.1'), 'short', 10)
  ask(turns.share('2.2.2.2'), 'long', 50)
  while (turns.greedy(9).length < 2) await setImmediate()
  expect([turns.greedy(11), turns.greedy(149), turns.greedy(151)]).toEqual([['2.2.2.2'], ['2.2.2.2'], []])
})

test('work without an address makes nobody greedy', async () => {
  const { turns, ask } = await world()
  ask(turns.share(), 'unknown', 1000)
  expect(turns.greedy(300)).toEqual([])
})

test('work that a settled promise starts counts for its address, too', async () => {
  const { turns, pass } = await world()
  const share = turns.share('1.1.1.1')
  turns.run(share, () => {
    turns.follow(share)
    void Promise.resolve().then(() => pass(400))
  })
  await setImmediate()
  expect(turns.greedy(300)).toEqual(['1.1.1.1'])
})

test('work whose signal ends leaves its turn at once, and what waits behind it comes', async () => {
  const { turns, order, ask } = await world()
  const [gone, other] = [turns.share('1.1.1.1'), turns.share('2.2.2.2')]
  ask(other, 'first', 3)
  const ends = new AbortController()
  const rests = Array.from({ length: 3 }, () => turns.rest(gone, ends.signal).then(() => order.push('woken')))
  ask(other, 'second')
  ends.abort()
  await Promise.all(rests)
  expect(order).toEqual(['first', 'woken', 'woken', 'woken'])
  for (let i = 0; i < 5; i++) await setImmediate()
  expect(order).toEqual(['first', 'woken', 'woken', 'woken', 'second'])
  // The share has its turns as before.
  ask(gone, 'again')
  await turns.rest(gone, new AbortController().signal)
  expect(order.at(-1)).toBe('again')
})

test('work that goes on after its signal has ended waits for its turns like any other', async () => {
  const { turns, order, ask } = await world()
  const [gone, other] = [turns.share('1.1.1.1', 1000), turns.share('2.2.2.2')]
  ask(other, 'first', 3)
  ask(other, 'second')
  const late = turns.rest(gone, AbortSignal.abort()).then(() => order.push('late'))
  await late
  expect(order).toEqual(['first', 'second', 'late'])
})

test('addresses that use much are busy, alone or not', async () => {
  const { turns, ask } = await world({ isAlone: true })
  ask(turns.share('1.1.1.1'), 'busy', 40)
  await setImmediate()
  expect([turns.busy(30), turns.greedy(30)]).toEqual([['1.1.1.1'], []])
  ask(turns.share('2.2.2.2'), 'modest', 1)
  expect([turns.busy(30), turns.greedy(30)]).toEqual([['1.1.1.1'], ['1.1.1.1']])
})

test('a flood of addresses that use little does not forget one that uses much', async () => {
  const { turns, ask } = await world()
  const greedy = turns.share('1.1.1.1')
  ask(greedy, 'greedy', 400)
  for (let i = 0; i < 25_000; i++) turns.share(`10.0.${i >> 8}.${i & 255}`)
  expect(turns.busy(300)).toEqual(['1.1.1.1'])
  expect(turns.share('1.1.1.1').all).toBe(greedy.all)
})
