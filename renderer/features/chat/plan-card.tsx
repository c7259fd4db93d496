import { cx } from '../../components/class-names';
import styles from './plan-card.module.css';
import { planSteps } from './tool-words';

/** The agent's plan as it last said it. */
export function PlanCard({ input }: { readonly input: unknown }) {
  const steps = planSteps(input);
  const done = steps.filter((s) => s.status === 'done').length;
  return (
    <section aria-label="Plan" className={styles.card}>
      <header className={styles.head}>
        <b>Plan</b>
        <span className={styles.count}>
          {done} of {steps.length}
        </span>
      </header>
      <ol className={styles.steps}>
        {steps.map((s) => (
          <li key={s.title}>
            <span className={cx(styles.tick, styles[s.status])} />
            {s.title}
            <span className="visually-hidden"> ({s.status})</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
