package server

import (
	"testing"
	"time"
)

func TestOneRoundIsPlainSHA256(t *testing.T) {
	const expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	if got := hashRounds([]byte("abc"), 1).Digest; got != expected {
		t.Error(got)
	}
}

func TestABudgetOfTimeIsSpentAndItsRoundsAreTrue(t *testing.T) {
	const budget = 3 * time.Millisecond
	started := time.Now()
	timed := hashFor([]byte("abc"), budget)
	if spent := time.Since(started); spent < budget {
		t.Errorf("spent %v", spent)
	}
	if again := hashRounds([]byte("abc"), timed.Rounds); again != timed {
		t.Errorf("%v, then %v", timed, again)
	}
}
