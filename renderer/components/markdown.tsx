// The model's text as Markdown. No raw HTML, no remote images; links open outside, where the main process looks at them.
import { memo } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { CodeBlock } from './code-block';
import styles from './markdown.module.css';
import { plainText } from './plain-text';

type Node = { readonly type: string; readonly value?: string; readonly children?: readonly Node[] };
const textOf = (node: Node): string =>
  node.type === 'text' ? (node.value ?? '') : (node.children ?? []).map(textOf).join('');

const components: Components = {
  pre({ node }) {
    const code = node?.children.find((c) => c.type === 'element');
    const names = code?.type === 'element' ? code.properties.className : undefined;
    const language = Array.isArray(names) ? /^language-(.+)$/.exec(String(names[0])) : null;
    const text = node === undefined ? '' : textOf(node as Node);
    return <CodeBlock code={text.replace(/\n$/, '')} language={language?.[1] ?? null} />;
  },
  a({ href, children }) {
    const safe = /^(https?|mailto):/i.test(href ?? '');
    return safe ? (
      <a href={href} target="_blank" rel="noreferrer">
        {children}
      </a>
    ) : (
      <span>{children}</span>
    );
  },
  img({ alt }) {
    return <span className={styles.image}>[image{alt ? `: ${alt}` : ''}]</span>;
  },
  table({ children }) {
    return (
      <div className={styles.table}>
        <table>{children}</table>
      </div>
    );
  },
};

export const Markdown = memo(function Markdown({ text }: { readonly text: string }) {
  return (
    <div className={styles.markdown}>
      <ReactMarkdown remarkPlugins={[remarkGfm]} components={components} skipHtml>
        {plainText(text)}
      </ReactMarkdown>
    </div>
  );
});
