/** Errors of codespace `oracle` (docs/modules/oracle.md#errors). The texts are those of the reference. */
import { defineErrors } from '../../primitives/errors.ts'

const INVALID_PAIR = { status: 'invalidArgument', text: 'invalid token pair' } as const

export const errors = defineErrors('oracle', {
  invalidRate: { code: 2, status: 'invalidArgument', text: 'invalid exchange rate' },
  unauthorizedVoter: { code: 5, status: 'permissionDenied', text: 'unauthorized voter' },
  invalidHash: { code: 6, status: 'invalidArgument', text: 'invalid hash' },
  invalidHashLength: { code: 7, status: 'invalidArgument', text: 'invalid hash length; should equal 20' },
  hashMismatch: { code: 8, status: 'failedPrecondition', text: 'hash verification failed' },
  wrongPeriod: {
    code: 9,
    status: 'failedPrecondition',
    text: 'reveal period of submitted vote do not match with registered prevote',
  },
  invalidSalt: { code: 10, status: 'invalidArgument', text: 'invalid salt length; must be 1~4' },
  noPrevote: { code: 11, status: 'notFound', text: 'no aggregate prevote' },
  unknownPair: { code: 13, status: 'notFound', text: 'unknown pair' },
  noTwap: { code: 14, status: 'notFound', text: 'TWA price not found' },
  invalidPair: { code: 16, ...INVALID_PAIR },
  vintage: { code: 17, status: 'failedPrecondition', text: 'the price is too old' },
})

/** Errors of codespace `asset`, which older releases of the reference use for pairs. */
export const assetErrors = defineErrors('asset', { invalidPair: { code: 1, ...INVALID_PAIR } })
