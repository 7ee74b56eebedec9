/** The export of a home: its state at one height as the genesis document of a chain that continues from it. */
import type { GenesisDocument } from '../app/types.ts'
import type { Files } from './files.ts'
import type { HomePaths } from './home-paths.ts'
import { readHome } from './read-home.ts'

/** Exports a height; undefined is the latest. Rejects with `HeightBounds` for a height that is not kept. */
export function exportHome(paths: HomePaths, files: Files, height: bigint | undefined): Promise<GenesisDocument> {
  return readHome(paths, files, ({ app, genesis, withContext }) =>
    withContext(height, (ctx) => app.exportGenesis(ctx, genesis)),
  )
}
