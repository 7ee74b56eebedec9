import { readdirSync } from 'node:fs'
import { getOption } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { files } from '../gen/files.ts'
import { http } from '../gen/google/api/annotations_pb.ts'
import { methodPath, services } from './registry.ts'

test('the registry contains every generated file', () => {
  const generated = readdirSync(new URL('../gen', import.meta.url), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('_pb.ts'))
    .map((name) => name.slice(0, -'_pb.ts'.length).replaceAll('\\', '/'))
  expect(files.map((file) => file.name).sort()).toEqual(generated.sort())
})

test('the API document has 43 operations, and each has a route', () => {
  const documented = services.filter(({ typeName }) =>
    /^chain\.(evm|oracle|inflation|devgas|tokenfactory|epochs)\..*\.Query$/.test(typeName),
  )
  const operations = documented.flatMap((service) =>
    service.methods.filter((method) => getOption(method, http).pattern.case),
  )
  // Six modules have 13 + 12 + 6 + 4 + 3 + 2 operations; three more belong to upgrade.
  expect(operations.length).toBe(40)
  const upgrade = services.find(({ typeName }) => typeName === 'sdk.upgrade.v1beta1.Query')!
  const paths = upgrade.methods.map(methodPath)
  for (const name of ['CurrentPlan', 'AppliedPlan', 'ModuleVersions']) {
    expect(paths).toContain(`/sdk.upgrade.v1beta1.Query/${name}`)
  }
})
