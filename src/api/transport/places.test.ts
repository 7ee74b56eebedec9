import { expect, test } from 'vitest'
import { createPlaces } from './places.ts'

test('one address leaves places for others, and places that are given back can be taken again', () => {
  const places = createPlaces(5, 4)
  expect([1, 2, 3, 4].map(() => places.take('greedy'))).toEqual(Array(4).fill(undefined))
  expect(places.take('greedy')).toBe('address')
  expect(places.take('honest')).toBeUndefined()
  expect(places.take('late')).toBe('all')
  places.release('greedy', 2)
  expect([places.take('late'), places.take('greedy'), places.take('honest')]).toEqual([undefined, undefined, 'all'])
})
