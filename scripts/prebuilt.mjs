/**
 * Computes at build time what every start would otherwise compute: the descriptors of `src/gen`, which are stored
 * there file by file in Base64. A node that runs from sources computes them at its start.
 */
import { readFile } from 'node:fs/promises'
import { create, toBinary } from '@bufbuild/protobuf'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { build } from 'esbuild'

const FILE_DESC = /fileDesc\("[^"]*"(?:, \[[^\]]*\])?\)/
const DESCRIBED = /^\/\/ @generated from file (\S+\.proto) /m

/** Bundles a module of the sources and runs it. */
async function evaluate(file) {
  const { outputFiles } = await build({
    entryPoints: [file],
    bundle: true,
    format: 'esm',
    platform: 'node',
    write: false,
  })
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString('base64')}`)
}

const base64 = (bytes) => `Buffer.from('${Buffer.from(bytes).toString('base64')}', 'base64')`

/**
 * Returns all proto files of the API as one set. `createFileRegistry` collects them with their dependencies from a file that imports
 * everything. It works from the end, so each file precedes its dependencies.
 */
async function describeAll(listFile) {
  const { files } = await evaluate(listFile)
  const ordered = []
  const visit = (file) => {
    if (ordered.includes(file)) return
    for (const dependency of file.dependencies) visit(dependency)
    ordered.push(file)
  }
  for (const file of files) visit(file)
  const protos = ordered.map(({ proto }) => proto).reverse()
  // Files of the library itself are not copied, so that our fields use the library's schemas.
  const isOfLibrary = ({ name }) => name.startsWith('google/protobuf/')
  const variables = protos.filter(isOfLibrary).map(({ name }) => `file_${name.slice(0, -6).replaceAll('/', '_')}`)
  const set = toBinary(
    FileDescriptorSetSchema,
    create(FileDescriptorSetSchema, { file: protos.filter((proto) => !isOfLibrary(proto)) }),
  )
  return `
    import { create, createFileRegistry, fromBinary } from '@bufbuild/protobuf'
    import { FileDescriptorProtoSchema, FileDescriptorSetSchema, ${variables.join(', ')} } from '@bufbuild/protobuf/wkt'
    const ofLibrary = [${variables.join(', ')}]
    const { file: protos } = fromBinary(FileDescriptorSetSchema, ${base64(set)})
    const byName = new Map([...protos.map((proto) => [proto.name, proto]), ...ofLibrary.map((file) => [file.proto.name, file])])
    const all = create(FileDescriptorProtoSchema, { syntax: 'proto3', dependency: [...byName.keys()] })
    const registry = createFileRegistry(all, (name) => byName.get(name))
    export const fileDesc = (name) => registry.getFile(name)`
}

/** esbuild plugin that replaces the descriptors. */
export const prebuilt = {
  name: 'prebuilt',
  setup({ initialOptions: { absWorkingDir: root }, onLoad, onResolve }) {
    onResolve({ filter: /^prebuilt:descriptors$/ }, ({ path }) => ({ path, namespace: 'prebuilt' }))
    onLoad({ filter: /./, namespace: 'prebuilt' }, async () => ({
      contents: await describeAll(`${root}/src/gen/files.ts`),
      resolveDir: root,
    }))
    onLoad({ filter: /\/src\/gen\/.*_pb\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      const name = DESCRIBED.exec(text)?.[1]
      if (!name || !FILE_DESC.test(text)) throw new Error(`${path} does not look generated`)
      const contents = text.replace(FILE_DESC, `prebuiltFile("${name}")`)
      return { contents: `import { fileDesc as prebuiltFile } from 'prebuilt:descriptors'\n${contents}`, loader: 'ts' }
    })
  },
}
