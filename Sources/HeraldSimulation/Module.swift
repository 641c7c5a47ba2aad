// HeraldSimulation
