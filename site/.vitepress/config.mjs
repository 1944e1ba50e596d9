import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const docs = join(import.meta.dirname, '..', '..', 'docs')
const isPage = name => name.endsWith('.md')

/** Groups of the README's list of pages, `- Agents: [harnesses](docs/harnesses.md), ...`. */
const readme = readFileSync(join(docs, '..', 'README.md'), 'utf8')
const groups = [...readme.matchAll(/^- (\w+): (\[[^\n]+\]\(docs\/[^\n]+)$/gmu)].map(([, text, links]) => ({
  text,
  items: [...links.matchAll(/\[([^\]]+)\]\(docs\/([\w-]+)\.md\)/gu)].map(([, name, page]) => ({
    text: name,
    link: `/${page}`,
  })),
}))
const listed = new Set(groups.flatMap(({ items }) => items.map(({ link }) => link)))
const others = readdirSync(docs)
  .filter(isPage)
  .map(name => ({ text: name.slice(0, -3).replaceAll('-', ' '), link: `/${name.slice(0, -3)}` }))
  .filter(({ link }) => !listed.has(link))

/** The pages of docs/ as a site. A link to a page that is not there fails the build. */
export default {
  title: 'memory-service',
  description: 'One local memory for every coding agent on this machine',
  srcDir: docs,
  outDir: join(docs, '..', 'site', 'dist'),
  cleanUrls: true,
  // The pages of decisions link to files of the repository.
  ignoreDeadLinks: [
    /^(?:\.\/)?\.\.\/(?:\.\.\/)?(?:src|test|bench|scripts|README|CONTRIBUTING|AGENTS|NOTICE)/u,
  ],
  markdown: {
    // Pages are plain Markdown: neither HTML nor expressions of Vue.
    html: false,
    config: ({ renderer, utils }) => {
      renderer.rules.text = (tokens, index) =>
        utils.escapeHtml(tokens[index].content).replaceAll('{{', '&#123;&#123;')
    },
  },
  rewrites: { 'first-day.md': 'index.md' },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: [...groups, { text: 'More', items: others }],
  },
}
