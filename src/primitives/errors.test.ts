import { expect, test } from 'vitest'
import { failureOf, queryError } from './errors.ts'

test('an expected failure records no frames, and later errors and internal ones do', () => {
  const refused = failureOf(() => {
    throw queryError('notFound', 'no such block')
  })!
  expect(refused.stack).toContain('no such block')
  expect(refused.stack).not.toContain('errors.test.ts')
  expect(new Error('a bug').stack).toContain('errors.test.ts')
  expect(queryError('internal', 'internal error').stack).toContain('errors.test.ts')
})
