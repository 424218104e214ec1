/**
 * Styles the documentation, without fonts or images.
 *
 * @module
 */

/** The stylesheet of every page. */
export const style = `
:root { color-scheme: light dark; --ink: #1d2430; --soft: #566074; --paper: #fff; --ground: #f5f6f8; --line: #dde1e8; --act: #1f4fd8; --code: #f1f3f6; --comment: #5c667a; --keyword: #7c2d9c; --string: #1a6637; --number: #95460a; --name: #1b4bd0 }
@media (prefers-color-scheme: dark) { :root { --ink: #e6eaf1; --soft: #a3adbd; --paper: #12161d; --ground: #181d26; --line: #2c3441; --act: #8fb0ff; --code: #1b212b; --comment: #98a3b5; --keyword: #d4adff; --string: #8fd6a4; --number: #ffb77a; --name: #94b6ff } }
* { box-sizing: border-box }
html { scroll-padding-top: 4.5rem; -webkit-text-size-adjust: 100% }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.65 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif }
a { color: var(--act); text-underline-offset: .15em }
:focus-visible { outline: 3px solid var(--act); outline-offset: 2px }
.skip { position: absolute; left: -99rem }
.skip:focus { left: 1rem; top: .5rem; background: var(--paper); padding: .5rem 1rem; z-index: 3 }
header { position: sticky; top: 0; z-index: 2; display: flex; gap: 1.25rem; align-items: center; min-height: 3.5rem; padding: 0 1.5rem; background: var(--paper); border-bottom: 1px solid var(--line) }
header .home { font-weight: 700; font-size: 1.125rem; color: inherit; text-decoration: none }
header .to { margin-left: auto; display: flex; gap: 1.25rem; font-size: .9375rem }
.side { display: none }
.menu { position: relative }
.menu summary { cursor: pointer; padding: .35rem .8rem; border: 1px solid var(--line); border-radius: .4rem; font-size: .9375rem; list-style: none }
.menu summary::-webkit-details-marker { display: none }
.menu[open] nav { position: fixed; inset: 3.5rem 0 0; overflow-y: auto; overscroll-behavior: contain; padding: 1rem 1.5rem 4rem; background: var(--paper) }
nav p { margin: 1.4rem 0 .3rem; color: var(--soft); font-size: .8125rem; font-weight: 600; letter-spacing: .03em }
nav ul { margin: 0; padding: 0; list-style: none }
nav li a { display: block; padding: .25rem .6rem; margin-left: -.6rem; border-radius: .35rem; color: inherit; text-decoration: none; font-size: .9375rem; line-height: 1.45 }
nav li a:hover { background: var(--ground) }
nav a[aria-current] { background: var(--ground); color: var(--act); font-weight: 600 }
nav li li a { padding: .15rem .6rem; margin-left: .6rem; color: var(--soft); font-size: .875rem }
.frame { max-width: 76rem; margin: 0 auto; padding: 0 1.5rem }
main { max-width: 50rem; padding: 1.5rem 0 4rem; overflow-wrap: break-word }
h1 { margin: .5rem 0 1rem; font-size: 1.875rem; line-height: 1.25 }
h2, h3, h4 { position: relative; line-height: 1.35 }
h2 { margin: 2.75rem 0 .75rem; font-size: 1.375rem }
h3 { margin: 2rem 0 .5rem; font-size: 1.125rem }
h4 { margin: 1.5rem 0 .5rem; font-size: 1rem }
.anchor { position: absolute; left: -1.1em; padding-right: .4em; color: var(--soft); text-decoration: none; opacity: 0 }
:is(h2, h3, h4):hover .anchor, .anchor:focus-visible { opacity: 1 }
p, ul, ol { margin: 0 0 1rem }
main img { display: block; max-width: 100%; height: auto; margin: 0 0 1.25rem; border: 1px solid var(--line); border-radius: .5rem }
main ul, main ol { padding-left: 1.4rem }
main li { margin: .25rem 0 }
code { font: .875em/1.55 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; background: var(--code); border-radius: .25rem; padding: .1em .3em; overflow-wrap: anywhere }
pre { margin: 0 0 1.25rem; padding: .9rem 1rem; overflow-x: auto; background: var(--code); border: 1px solid var(--line); border-radius: .5rem; line-height: 1.5 }
.code { position: relative; margin: 0 0 1.25rem }
.code pre { margin: 0 }
.copy { position: absolute; top: .4rem; right: .4rem; padding: .15rem .6rem; border: 1px solid var(--line); border-radius: .35rem; background: var(--paper); color: var(--soft); font: .8125rem/1.5 system-ui, sans-serif; cursor: pointer; opacity: 0 }
.code:hover .copy, .copy:focus-visible { opacity: 1 }
.copy:hover { color: var(--ink); border-color: var(--soft) }
@media (hover: none) { .copy { opacity: 1 } .code pre { padding-top: 2.25rem } }
.hljs-comment, .hljs-meta { color: var(--comment) }
.hljs-keyword, .hljs-built_in, .hljs-selector-tag, .hljs-tag .hljs-name { color: var(--keyword) }
.hljs-string, .hljs-regexp, .hljs-symbol { color: var(--string) }
.hljs-number, .hljs-literal, .hljs-variable, .hljs-subst .hljs-variable, .hljs-template-variable { color: var(--number) }
.hljs-attr, .hljs-attribute, .hljs-title, .hljs-section, .hljs-property, .hljs-bullet { color: var(--name) }
.hljs-subst { color: inherit }
.search { position: relative; flex: 1 1 8rem; max-width: 24rem; margin-left: auto }
.search[hidden] { display: none }
.search input { width: 100%; padding: .35rem .75rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--ground); color: var(--ink); font: inherit; font-size: .9375rem }
.search ul { position: absolute; right: 0; top: calc(100% + .4rem); width: min(36rem, calc(100vw - 2rem)); max-height: min(32rem, calc(100vh - 5rem)); margin: 0; padding: .35rem; overflow-y: auto; overscroll-behavior: contain; list-style: none; background: var(--paper); border: 1px solid var(--line); border-radius: .5rem; box-shadow: 0 .75rem 2rem rgb(0 0 0 / .18) }
.search li a { display: block; padding: .45rem .65rem; border-radius: .35rem; color: inherit; text-decoration: none; line-height: 1.4 }
.search li strong { display: block; font-size: .9375rem }
.search li span { display: -webkit-box; overflow: hidden; color: var(--soft); font-size: .8438rem; -webkit-line-clamp: 2; -webkit-box-orient: vertical; overflow-wrap: anywhere }
.search li:is([aria-selected=true], :hover) a { background: var(--ground) }
.search li[aria-selected=true] strong { color: var(--act) }
.search .none { padding: .6rem; color: var(--soft); font-size: .9375rem }
.search:not([hidden]) + .to { margin-left: 0 }
@media (max-width: 40rem) { header .to { display: none } }
pre code { padding: 0; background: none; font-size: .8125rem; overflow-wrap: normal; tab-size: 2 }
.table { margin: 0 0 1.25rem; overflow-x: auto; border: 1px solid var(--line); border-radius: .5rem }
.table table { width: 100%; border-collapse: collapse; font-size: .9063rem; line-height: 1.5 }
.table :is(th, td) { padding: .5rem .75rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line) }
.table tbody tr:last-child td { border-bottom: 0 }
.table thead th { background: var(--ground); font-weight: 600 }
.table thead th:empty { padding: 0 }
.table td { min-width: 5rem }
.table td:last-child { min-width: 14rem }
.table td code { overflow-wrap: normal }
.table td:last-child code { overflow-wrap: anywhere }
blockquote { margin: 0 0 1.25rem; padding: .75rem 1rem; background: var(--ground); border-left: .25rem solid var(--act); border-radius: 0 .35rem .35rem 0 }
blockquote p:last-child { margin: 0 }
.turn { display: flex; flex-wrap: wrap; gap: .75rem 2rem; justify-content: space-between; margin-top: 3rem; padding-top: 1.25rem; border-top: 1px solid var(--line) }
footer { margin-top: 1.5rem; color: var(--soft); font-size: .875rem }
@media (min-width: 60rem) {
  .menu { display: none }
  .frame { display: grid; grid-template-columns: 15rem minmax(0, 1fr); gap: 3rem }
  .side { display: block; position: sticky; top: 3.5rem; align-self: start; max-height: calc(100vh - 3.5rem); overflow-y: auto; padding: .5rem .25rem 3rem .6rem; border-right: 1px solid var(--line) }
  main { padding-top: 2rem }
  .wide main { max-width: none }
}
@media (max-width: 59.99rem) { .anchor { display: none } }
@media (max-width: 30rem) { .frame, header { padding-left: 1rem; padding-right: 1rem } header { gap: .9rem } header .to { gap: .9rem } h1 { font-size: 1.625rem } pre code { font-size: .8125rem } }
@media (max-width: 40rem) {
  .table { border: 0; overflow: visible }
  .table :is(table, tbody, tr, td) { display: block }
  .table thead { display: none }
  .table tr { margin-bottom: .75rem; padding: .6rem .8rem; border: 1px solid var(--line); border-radius: .5rem }
  .table :is(td, td:last-child) { min-width: 0; padding: .1rem 0; border: 0 }
  .table td:first-child { font-weight: 600 }
  .table td:empty { display: none }
  .table td:not(:first-child, [data-label=""])::before { content: attr(data-label) ": "; color: var(--soft) }
  .table td code { overflow-wrap: anywhere }
}
.soft { color: var(--soft); font-size: .9375rem }
.bare main { max-width: 42rem; margin: 0 auto; padding: 12vh 1.5rem 4rem }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: .75rem; margin: 1.75rem 0 2rem; padding: 0 !important; list-style: none }
.cards li { position: relative; margin: 0; padding: .9rem 1rem; border: 1px solid var(--line); border-radius: .5rem }
.cards li:hover { background: var(--ground); border-color: var(--act) }
.cards a { display: block; font-weight: 600; text-decoration: none }
.cards a::after { content: ""; position: absolute; inset: 0 }
.cards span { color: var(--soft); font-size: .9375rem }
@media print { header, .side, .turn, .skip, .copy { display: none } pre { white-space: pre-wrap } }
`
