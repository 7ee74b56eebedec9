/** Bundles the console (`web/`) into `dist/web/`: one page, and hashed files beside it that are loaded when they are needed. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build } from 'esbuild'

/** Builds below `root`. Files of an earlier build are removed after the new page is written. Returns what esbuild says of the bundle. */
export async function bundleWeb(root) {
  const out = join(root, 'dist/web')
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { console: 'web/src/main.tsx' },
    outdir: join(out, 'console'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    tsconfigRaw: {},
    minify: true,
    legalComments: 'none',
    define: { 'process.env.NODE_ENV': '"production"' },
    metafile: true,
    logLevel: 'warning',
  })
  const written = Object.keys(metafile.outputs).map((path) => basename(path))
  const [entry, { imports, cssBundle }] = Object.entries(metafile.outputs).find(([, output]) =>
    output.entryPoint?.endsWith('main.tsx'),
  )
  const first = imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => basename(path))
  const page = readFileSync(join(root, 'web/index.html'), 'utf8')
    .replace('<!-- styles -->', `<link rel="stylesheet" href="console/${basename(cssBundle)}">`)
    .replace(
      '<!-- scripts -->',
      [
        ...first.map((name) => `<link rel="modulepreload" href="console/${name}">`),
        `<script type="module" src="console/${basename(entry)}"></script>`,
      ].join('\n'),
    )
  mkdirSync(join(out, 'console'), { recursive: true })
  writeFileSync(join(out, 'index.html'), page)
  for (const name of readdirSync(join(out, 'console'))) {
    if (!written.includes(name)) rmSync(join(out, 'console', name))
  }
  return metafile
}
