import { expect, test } from 'vitest'
import { createBodyRoom } from './body-room.ts'

test('bodies beyond the room of an address begin in their order as others end, and another address has its own', () => {
  const room = createBodyRoom(100)
  const begun: string[] = []
  const enter = (name: string, bytes: number, address = 'one') => room.enter(address, bytes, () => begun.push(name))
  const endFirst = enter('first', 60)
  enter('second', 40)
  const endThird = enter('third', 50)
  // Room for the fourth is no reason to pass the third.
  enter('fourth', 10)
  expect(begun).toEqual(['first', 'second'])
  enter('other', 100, 'two')
  expect(begun).toEqual(['first', 'second', 'other'])
  endFirst()
  expect(begun).toEqual(['first', 'second', 'other', 'third', 'fourth'])
  // Ending twice frees its room once.
  endFirst()
  enter('fifth', 1)
  expect(begun).toHaveLength(5)
  endThird()
  expect(begun.at(-1)).toBe('fifth')
})

test('a body larger than the room begins alone, and one that ends while it waits gives way', () => {
  const room = createBodyRoom(100)
  const begun: string[] = []
  const enter = (name: string, bytes: number) => room.enter('one', bytes, () => begun.push(name))
  const end = enter('large', 500)
  const endWaiting = enter('waiting', 80)
  enter('last', 90)
  expect(begun).toEqual(['large'])
  endWaiting()
  end()
  expect(begun).toEqual(['large', 'last'])
})
