/** A crash of a replica at any point loses nothing and repeats nothing. The long tests kill it 500 times. */
import { test } from 'vitest'
import { followUnderKills } from '../support/follow/kills.ts'

const KILLS = 20

test(`a replica killed ${KILLS} times has the blocks and the state of one that never was`, () =>
  followUnderKills(KILLS))
