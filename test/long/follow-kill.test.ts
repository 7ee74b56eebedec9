/** A crash of a replica at any point loses nothing and repeats nothing. */
import { test } from 'vitest'
import { followUnderKills } from '../support/follow/kills.ts'

const KILLS = Number(process.env['TEST_FOLLOW_KILLS'] ?? 500)

test(`a replica killed ${KILLS} times has the blocks and the state of one that never was`, () =>
  followUnderKills(KILLS))
