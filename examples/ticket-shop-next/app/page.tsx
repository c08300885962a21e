import { order } from './actions';

export default function Home() {
  return (
    <form action={order}>
      <h1>Summer concert</h1>
      <button type="submit">Order a ticket</button>
    </form>
  );
}
