// Asks before something that is not approved by itself: what would happen, what stands out, and the three answers.
import { useEffect, useId, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { ApprovalRequest } from '../../../shared/domain';
import { Button } from '../../components/button';
import { PatchLines } from '../../components/patch-lines';
import { answerApproval, useTask } from '../../store/task';
import { focusComposer } from '../../store/ui';
import { useWorkspace } from '../../store/workspace';
import styles from './approval-card.module.css';

const CATEGORY: Readonly<Record<string, string>> = {
  'category:read': 'reading',
  'category:edit': 'edits',
  'category:command': 'commands',
  'category:web': 'the web',
  'category:browser': 'the browser',
  'category:mcp': 'MCP tools',
};

/** What `Always allow` would allow, in words. */
export const alwaysWords = (always: string): string =>
  `Always allow ${CATEGORY[always] ?? `“${always}”`}, in every folder`;

export function ApprovalCard({ request }: { readonly request: ApprovalRequest }) {
  const [rejecting, setRejecting] = useState(false);
  const [sent, setSent] = useState(false);
  const rejectButton = useRef<HTMLButtonElement>(null);
  const titleId = useId();
  const { always } = request;
  const answer = (decision: 'approve' | 'always' | 'reject', reason: string | null) => {
    setSent(true);
    // The buttons go with the card, and the focus must not go with them.
    focusComposer();
    void answerApproval(request.callId, decision, reason).finally(() => setSent(false));
  };
  return (
    <section className={styles.card} aria-labelledby={titleId}>
      <header className={styles.head}>
        <h2 id={titleId} className={styles.title}>
          {request.title}
        </h2>
        {request.flag === null ? null : <span className={styles.flag}>{request.flag}</span>}
      </header>
      <Detail request={request} />
      <NoWayBack request={request} />
      {rejecting ? (
        <Rejection
          onCancel={() => {
            flushSync(() => setRejecting(false));
            rejectButton.current?.focus();
          }}
          onReject={(reason) => answer('reject', reason)}
          sent={sent}
        />
      ) : (
        <footer className={styles.foot}>
          <Button look="primary" disabled={sent} onClick={() => answer('approve', null)}>
            Approve
          </Button>
          <Button ref={rejectButton} disabled={sent} onClick={() => setRejecting(true)}>
            Reject…
          </Button>
          {always === null ? null : (
            <Button
              look="quiet"
              disabled={sent}
              className={styles.always}
              onClick={() => answer('always', null)}
            >
              {alwaysWords(always)}
            </Button>
          )}
        </footer>
      )}
    </section>
  );
}

const CHANGES: readonly ApprovalRequest['category'][] = ['edit', 'command'];

/** What no checkpoint will hold is said before it is approved. */
function NoWayBack({ request }: { readonly request: ApprovalRequest }) {
  const unprotected = useTask((s) => s.view.runs.some((r) => r.runId === s.view.running && r.unprotected));
  const off = useWorkspace((s) => s.info?.checkpoints.state === 'off');
  const changes = CHANGES.includes(request.category);
  const why = request.irreversible
    ? 'No checkpoint holds this'
    : changes && unprotected
      ? 'This run goes on without checkpoints'
      : changes && off
        ? 'Checkpoints are off here'
        : null;
  return why === null ? null : (
    <p className={styles.irreversible}>
      {why}, so it <b>cannot be taken back</b>.
    </p>
  );
}

function Detail({ request }: { readonly request: ApprovalRequest }) {
  if (request.detail.trim() === '') return null;
  if (request.detailKind === 'text') return <p className={styles.text}>{request.detail}</p>;
  return (
    <div className={styles.detail}>
      {request.detailKind === 'diff' ? (
        <PatchLines patch={request.detail} />
      ) : (
        <pre className={styles.command}>{request.detail}</pre>
      )}
    </div>
  );
}

type RejectionProps = {
  readonly sent: boolean;
  readonly onCancel: () => void;
  readonly onReject: (reason: string | null) => void;
};

function Rejection({ sent, onCancel, onReject }: RejectionProps) {
  const [reason, setReason] = useState('');
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <form
      className={styles.foot}
      onSubmit={(e) => {
        e.preventDefault();
        onReject(reason.trim() === '' ? null : reason.trim());
      }}
      onKeyDown={(e) => {
        if (e.key === 'Escape') onCancel();
      }}
    >
      <input
        ref={field}
        value={reason}
        onChange={(e) => setReason(e.target.value)}
        className={styles.reason}
        aria-label="Reason"
        placeholder="Why not? The agent reads this (optional)"
      />
      <Button type="submit" disabled={sent}>
        Reject
      </Button>
      <Button look="quiet" onClick={onCancel}>
        Cancel
      </Button>
    </form>
  );
}
