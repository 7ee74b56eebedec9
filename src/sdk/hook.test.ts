import { expect, test } from 'vitest'
import { defineHook } from './hook.ts'
import { defineModule } from './module.ts'
import { testContext } from './testing.ts'

test('a hook calls its own listeners in module order', () => {
  const afterEpochEnd = defineHook<{ readonly identifier: string }>('epochs.afterEpochEnd')
  const beforeEpochStart = defineHook<{ readonly identifier: string }>('epochs.beforeEpochStart')
  const heard: string[] = []
  const listener = (name: string) =>
    defineModule({
      name,
      hooks: [
        afterEpochEnd.on((ctx, { identifier }) => heard.push(`${name} ${identifier} at ${ctx.block.height}`)),
        beforeEpochStart.on(() => heard.push('too early')),
      ],
    })
  const ctx = testContext({ modules: [listener('inflation'), listener('oracle')], block: { height: 7n } })
  afterEpochEnd.run(ctx, { identifier: 'day' })
  expect(heard).toEqual(['inflation day at 7', 'oracle day at 7'])
})
