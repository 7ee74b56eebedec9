import { beforeEach, describe, expect, test } from 'vitest'
import { formatHex } from '../../primitives/bytes.ts'
import type { Application } from '../types.ts'
import { inputOf, type TestChain, testChain } from './testing/chain.ts'
import { contract, labBinary, labModules, labUpgrades, labVersions, person } from './testing/modules.ts'

let chain: TestChain

describe('five upgrades in one process', () => {
  const plans = labUpgrades.map(({ name }, i) => ({ name, height: BigInt(10 * (i + 1)) }))

  function begin(): void {
    chain = testChain()
    for (const plan of plans) chain.decisions.set(plan.height - 4n, plan)
  }

  beforeEach(begin)

  const lab = () => chain.build({ modules: labModules, upgrades: labUpgrades, firstVersions: labVersions })

  const QUERIES: readonly [path: string, request: object][] = [
    ['/chain.devgas.v1.Query/Params', {}],
    ...[0, 1, 2].flatMap((i): [string, object][] => [
      ['/chain.devgas.v1.Query/FeeShares', { deployer: person(i) }],
      ['/chain.devgas.v1.Query/FeeSharesByWithdrawer', { withdrawerAddress: person(i) }],
      ['/chain.devgas.v1.Query/FeeShare', { contractAddress: contract(i * 7) }],
      ['/sdk.feegrant.v1beta1.Query/Allowances', {}],
      ['/sdk.authz.v1beta1.Query/GranterGrants', {}],
    ]),
    ['/sdk.upgrade.v1beta1.Query/ModuleVersions', {}],
    ['/sdk.upgrade.v1beta1.Query/CurrentPlan', {}],
  ]

  function answers(app: Application, height: bigint): string[] {
    const ctx = chain.contextAt(app, height)
    return QUERIES.map(([path, request]) => {
      try {
        return JSON.stringify(app.queries.get(path)!(ctx, request as never), (_, value) =>
          typeof value === 'bigint' ? `${value}` : value,
        )
      } catch (error) {
        return String(error)
      }
    })
  }

  test('every query answers at an old height as it did when the height was the latest', () => {
    const app = lab()
    const recorded: string[][] = []
    for (let height = 1n; height <= 60n; height++) {
      expect(chain.run(app, height)).toBeUndefined()
      recorded.push(answers(app, height))
    }
    expect(chain.lines.filter((line) => line.startsWith('applying'))).toHaveLength(5)
    expect(chain.contextAt(app).store.get('devgas', new Uint8Array([0x14]))).toBeUndefined()
    // In the process that ran all upgrades, and in a new one.
    for (const reader of [app, lab()]) {
      for (let height = 60n; height >= 1n; height--) {
        expect(answers(reader, height), `height ${height}`).toEqual(recorded[Number(height) - 1])
      }
    }
    const text = (height: number) => recorded[height - 1]!.join('\n')
    expect(text(9)).not.toContain('"allowedDenoms":["unative"]')
    expect(text(10)).toContain('"allowedDenoms":["unative"]')
    expect(text(19)).toContain('module authz is not part of the chain at height 19')
    expect(text(20)).toContain('by genesis')
    expect(text(39)).toContain('seen at 39')
    expect(text(40)).toContain('module feegrant is not part of the chain at height 40')
  })

  test('a binary with all handlers and a binary swapped at each upgrade reach the same app hashes', () => {
    chain.run(lab(), 55n)
    const whole = formatHex(chain.store.appHash())
    begin()
    for (let count = 0; count <= 5; count++) {
      const halt = chain.run(chain.build({ ...labBinary(count), firstVersions: labVersions }), 55n)
      const next = plans[count]
      expect(halt?.line).toBe(next && `UPGRADE "${next.name}" NEEDED at height: ${next.height}: `)
    }
    expect(formatHex(chain.store.appHash())).toBe(whole)
  })

  test('each block of an upgrade can be executed again and traced', () => {
    const app = lab()
    chain.run(app, 55n)
    for (const { height } of plans) {
      const ctx = chain.contextAt(app, height - 1n)
      let watched = 0
      app.traceBlock(ctx, inputOf(height), {
        shouldStop: () => false,
        before() {
          watched++
          return undefined
        },
        after() {},
      })
      expect(watched).toBe(0)
    }
    expect(chain.lines.filter((line) => line.startsWith('applying'))).toHaveLength(5)
    const other = chain.build({ modules: labModules, firstVersions: labVersions })
    expect(() =>
      other.traceBlock(chain.contextAt(other, 9n), inputOf(10n), {
        shouldStop: () => false,
        before: () => undefined,
        after() {},
      }),
    ).toThrow('this build cannot execute the block again: UPGRADE "longer-params" NEEDED at height: 10: ')
  })
})
